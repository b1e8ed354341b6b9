// Merges the terms of all workers: the column of each, in the order of Python's str, and its text.
//
// Words are sorted as 16-byte numbers. N-grams of words need no strings: every word character is greater than a
// space, so comparing "a b" with "a1 b" means comparing the ranks of their words one by one, and an n-gram comes
// before its extensions. So the terms form a tree in which the children of an n-gram have one more word. Each
// level is sorted by (position of the parent, rank of the last word), and columns are the nodes in pre-order.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "parallel.hpp"
#include "text/column_set.hpp"
#include "text/counter.hpp"
#include "text/term_table.hpp"

namespace troenpy::text {

class Vocabulary {
public:
    // Takes over the tables of the workers, which it only reads.
    explicit Vocabulary(Counter &counter);

    std::uint64_t size() const { return terms_.size(); }
    std::uint64_t n_documents(std::uint64_t term) const { return n_documents_[term]; }

    // Positions of each worker's terms in this vocabulary; no_column for prefixes that are not terms themselves.
    std::vector<std::vector<std::uint32_t>> take_places() { return std::move(places_); }

    // Drops terms.
    void keep(const bool *kept);

    // The UTF-8 text of a term; `text` is overwritten.
    void spell(std::uint64_t term, std::string &text) const;

    // The text of all terms, and where each ends.
    void pack(std::vector<std::uint8_t> &text, std::vector<std::int64_t> &ends, unsigned n_threads) const;

    // The tables of the workers.
    std::vector<std::shared_ptr<TermTable>> tables() const;

private:
    struct Source {
        std::shared_ptr<TermTable> table;
        std::vector<std::uint32_t> levels;  // words in the n-gram, less one; empty if all are words
        std::vector<std::uint32_t> nodes;   // place of the term in its level
    };
    struct Node {
        std::uint32_t parent;  // place in the level above
        std::uint32_t last;    // rank of the last word
    };
    struct TermPlace {
        std::uint32_t level;
        std::uint32_t node;
    };

    void find_levels(Source &source);
    void check_size() const;
    void merge_words(unsigned n_threads);
    void merge_level(std::uint32_t level, unsigned n_threads);
    void number(std::uint32_t min_n);
    void place(std::uint32_t first_level);
    std::size_t level_size(std::size_t level) const { return level == 0 ? words_.size() : levels_[level].size(); }
    std::string_view word(std::uint32_t rank) const;

    std::vector<Source> sources_;
    std::vector<std::vector<std::uint32_t>> places_;  // by worker
    std::vector<Key> words_;                          // by rank
    std::vector<std::uint32_t> word_owners_;          // the worker whose table a long word is in
    std::vector<std::vector<Node>> levels_;           // the first is empty: words have no parents
    std::vector<TermPlace> terms_;
    std::vector<std::uint32_t> n_documents_;
};

}  // namespace troenpy::text
