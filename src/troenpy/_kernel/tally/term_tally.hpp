// A tally of texts: a table of terms that grows, or that is bounded and keeps the most frequent.
//
// Terms are keyed by their whole text. The usual batch is counted in shards, one for each thread, that go on from batch
// to batch and are merged when someone asks. Its documents are gathered and added to the cells many at a time, class by
// class, since adding entry by entry is memory access at random. Batches with n-grams of words, stop words or weights, and all with a bound,
// are counted in tables of their own, whose terms are looked up in the first shard; then their entries are added in the
// order of documents, so sums do not depend on the threads.
//
// With a bound, this is the Space-Saving summary of Metwally et al. (2005) over document frequency. A term that does
// not fit takes the place of the one with the smallest upper bound: its documents since it entered, plus the error
// with which it entered. The newcomer's error is that bound. Ties: the one that entered first. Bounds only grow, and
// no newcomer has the smallest one, so all terms that have it are found in one pass, and the next pass is needed only
// when they are used up. There are at most as many passes as the smallest bound has values: a few steps per entry.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tally/batch.hpp"
#include "tally/counts.hpp"
#include "tally/shard.hpp"
#include "text/counter.hpp"
#include "text/term_table.hpp"

namespace troenpy::tally {

class TermTally {
public:
    // max_terms = 0: no bound.
    explicit TermTally(std::uint32_t max_terms);
    TermTally(const TermTally &) = delete;
    TermTally &operator=(const TermTally &) = delete;

    std::uint32_t n_terms() const { return table_->n_terms(); }
    std::uint64_t n_cells() const;
    // The tables of n shards, to count the next batch in; none with a bound or weights. What a batch that fails leaves behind is
    // harmless: terms without documents.
    std::vector<std::shared_ptr<text::TermTable>> tables(unsigned n);
    std::uint32_t max_terms() const { return max_terms_; }
    // A term in more documents than this is in the table.
    std::uint64_t kept_above() const { return kept_above_; }
    ClassCells &cells() { return shards_[0]->cells; }
    Waiting &waiting() { return waiting_; }

    // Takes over the chunks and tables of the counter; the batch waits.
    void hold(text::Counter &counter, Labels labels, bool is_binary);

    // Adds the batch that waits, if it belongs to a stream of n batches.
    void settle(std::uint64_t n, unsigned n_threads, Watch &watch);

    // The counts of all terms that have documents, in the order of Python's str; ranks[code] is the place of a class.
    Counts counts(const std::vector<std::int32_t> &ranks, unsigned n_threads);
    // How many documents of the term may be missing.
    std::uint64_t error(std::uint32_t term) const { return is_bounded() ? entrances_[term].error : 0; }
    // A number that grows with every term that enters.
    std::uint64_t order(std::uint32_t term) const { return is_bounded() ? entrances_[term].order : term; }

    // To continue from saved counts: the number of a term that is added, in the order of entrance.
    std::uint32_t restore(std::string_view text, std::uint64_t error);
    void set_kept_above(std::uint64_t frequency) { kept_above_ = frequency; }

private:
    // A term of another table.
    struct Name {
        text::Key key;
        std::uint64_t hash;
        std::string_view text;  // only if it is long
    };
    // Where a term of a batch is in this table, unless that place has another version by now.
    struct Place {
        std::uint32_t term = text::no_term;
        std::uint32_t version = 0;  // of the term's place in the table
    };
    struct Entrance {
        std::uint64_t order, error;
    };

    bool is_bounded() const { return max_terms_ > 0; }
    void prepare_cells(std::uint32_t n_classes);
    void gather(Documents &documents, unsigned n_threads);
    void add_gathered(unsigned n_threads);
    Name name_of(const text::TermTable &source, std::uint32_t term, std::string &spelled) const;
    void add_looked_up(Batch &batch, unsigned n_threads, Watch &watch);
    void find_places(unsigned n_threads);
    void find_places(const text::TermTable &source, std::vector<Place> &places, std::uint32_t begin) const;
    // Whether the workers counted in the shards.
    bool is_in_shards() const;
    std::uint32_t number_of(std::uint32_t worker, std::uint32_t term) {
        const Place &place = places_[worker][term];
        const bool is_known =
            place.term != text::no_term && (entrances_.empty() || version(place.term) == place.version);
        return is_known ? place.term : enter(worker, term);
    }
    std::uint32_t version(std::uint32_t term) const { return static_cast<std::uint32_t>(order(term)); }
    std::uint32_t enter(std::uint32_t worker, std::uint32_t term);
    std::uint32_t add(const Name &name);
    std::uint32_t replace_least(const Name &name);
    std::uint64_t upper_bound(std::uint32_t term) const {
        return shards_[0]->cells.totals(term).n_documents + entrances_[term].error;
    }
    void find_least();

    std::uint32_t max_terms_;
    std::vector<std::unique_ptr<Shard>> shards_;
    std::shared_ptr<text::TermTable> table_;  // of the first shard
    Waiting waiting_;
    Documents gathered_;            // counted in the shards, not yet in their cells
    std::optional<Batch> adding_;   // those that are being added
    std::uint64_t n_gathered_ = 0;  // entries of both
    // Of the batch that waits.
    std::vector<std::shared_ptr<text::TermTable>> sources_;
    std::vector<std::vector<Place>> places_;
    std::string spelled_;
    // With a bound.
    std::vector<Entrance> entrances_;
    std::uint64_t n_entrances_ = 0, kept_above_ = 0, least_bound_ = 0;
    std::vector<std::uint32_t> least_;  // the terms with that bound, in order of entrance
    std::size_t next_least_ = 0;
};

}  // namespace troenpy::tally
