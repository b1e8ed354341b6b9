// Running counts of documents: per term, and per term and class, in cells that grow with what has been seen.
//
// The cells of a term are a block of 1, 2, 4, ... cells in one pool, an open-addressing table with the class as its
// own hash. Once a block has a cell for every class, a class is always found in its own place: one memory access.
// Cells count documents; if documents have weights, a second pool next to the cells has the sums of the weights.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "cpu.hpp"
#include "storage.hpp"

namespace troenpy::tally {

// The labels of a document, and how many documents it counts as.
struct Label {
    const std::uint32_t *begin, *end;
    double weight;
};

// The documents of a term by class, unweighted.
struct TermSums {
    struct Sum {
        std::uint32_t code, count;
    };
    std::uint32_t n_documents;
    std::uint64_t occurrences;
    const Sum *begin, *end;
};

class ClassCells {
public:
    struct Cell {
        std::uint32_t code;         // of the class
        std::uint32_t n_documents;  // there are fewer than 2**32 in a stream
    };

    // The sums of one term over its documents.
    struct Totals {
        double weight = 0;       // of the documents
        double occurrences = 0;  // weighted
        std::uint32_t n_documents = 0;
        std::uint32_t n_cells = 0;
        std::uint32_t block = 0;  // the first cell
        std::uint32_t size = 0;   // of the block; zero or a power of two
    };
    static_assert(sizeof(Totals) == 32);

    ClassCells() { free_blocks_.fill(no_block); }

    std::uint32_t n_terms() const { return static_cast<std::uint32_t>(totals_.size()); }
    // The cells that memory is taken for.
    std::uint64_t n_cells() const { return n_used_; }
    const Totals &totals(std::uint32_t term) const { return totals_[term]; }
    void set_totals(std::uint32_t term, double weight, double occurrences, std::uint32_t n_documents);
    // The number of classes decides how full a block may become.
    void set_classes(std::uint32_t n_classes) { n_classes_ = n_classes; }

    // Adds terms without documents.
    void resize(std::uint32_t n_terms) {
        if (n_terms > totals_.capacity()) {
            std::vector<Totals> larger;
            larger.reserve(std::max<std::size_t>(n_terms, 2 * totals_.capacity()));
            ask_for_huge_pages(larger.data(), larger.capacity() * sizeof(Totals));
            larger.insert(larger.end(), totals_.begin(), totals_.end());
            totals_.swap(larger);
        }
        totals_.resize(n_terms);
    }

    // From now on, documents have weights; those so far weigh one each.
    void start_weights();
    bool is_weighted() const { return is_weighted_; }

    // Adds a document to a term. If memory runs out, nothing has been added.
    void add(std::uint32_t term, std::uint32_t n_occurrences, const Label &label) {
        if (label.end - label.begin != 1) [[unlikely]] {
            for (const std::uint32_t *code = label.begin; code < label.end; ++code) cell(totals_[term], *code);
        }
        for (const std::uint32_t *code = label.begin; code < label.end; ++code)
            add_at(cell(totals_[term], *code), 1, label.weight);
        Totals &totals = totals_[term];
        totals.weight += label.weight;
        totals.occurrences += label.weight * n_occurrences;
        ++totals.n_documents;
    }

    // The same for many documents.
    void add(std::uint32_t term, const TermSums &sums) {
        Totals &totals = totals_[term];
        if (totals.size == 0) make_room(totals, static_cast<std::uint32_t>(sums.end - sums.begin));
        if (!has_room(totals, static_cast<std::uint32_t>(sums.end - sums.begin))) {
            for (const TermSums::Sum *sum = sums.begin; sum < sums.end; ++sum) cell(totals, sum->code);
        }
        for (const TermSums::Sum *sum = sums.begin; sum < sums.end; ++sum)
            add_at(cell(totals, sum->code), sum->count, sum->count);
        totals.weight += sums.n_documents;
        totals.occurrences += static_cast<double>(sums.occurrences);
        totals.n_documents += sums.n_documents;
    }

    // Adds to one cell only, to rebuild counts. Without weights, `count` must be whole and below 2**32.
    void add_to_cell(std::uint32_t term, std::uint32_t code, double count) {
        add_at(cell(totals_[term], code), is_weighted_ ? 0 : static_cast<std::uint32_t>(count), count);
    }

    // Forgets the documents of a term; its cells are used again.
    void clear(std::uint32_t term) {
        release(totals_[term]);
        totals_[term] = Totals();
    }

    TROENPY_ALWAYS_INLINE void prefetch(std::uint32_t term) const { cpu::prefetch_to_write(totals_.data() + term); }
    // When its totals are in the cache.
    TROENPY_ALWAYS_INLINE void prefetch_cell(std::uint32_t term, std::uint32_t code) const {
        if (term >= totals_.size()) return;
        const Totals &totals = totals_[term];
        cpu::prefetch_to_write(cells_.data() + totals.block + (code & (totals.size - 1)));
    }

    // Calls body(code, count) for each class of a term, in no particular order; with weights, `count` is their sum.
    template <typename F>
    void for_each_cell(std::uint32_t term, F &&body) const {
        const Totals &totals = totals_[term];
        for (std::uint64_t at = totals.block; at < std::uint64_t{totals.block} + totals.size; ++at) {
            if (cells_[at].code != no_code) body(cells_[at].code, is_weighted_ ? weights_[at] : cells_[at].n_documents);
        }
    }

private:
    static constexpr std::uint32_t no_code = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::uint32_t no_block = no_code;
    static constexpr std::uint32_t small = 4;  // a block that is searched from end to end

    // The place of the cell of a class, which is added if it is new.
    std::uint32_t cell(Totals &totals, std::uint32_t code) {
        const Cell *const block = cells_.data() + totals.block;
        const std::uint32_t mask = totals.size - 1;
        for (std::uint32_t step = 0; step < totals.size; ++step) {
            const std::uint32_t at = (code + step) & mask;
            if (block[at].code == code) return totals.block + at;
            if (block[at].code == no_code) break;
        }
        return new_cell(totals, code);
    }

    void add_at(std::uint32_t at, std::uint32_t n_documents, double weight) {
        cells_[at].n_documents += n_documents;
        if (is_weighted_) weights_[at] += weight;
    }

    std::uint32_t new_cell(Totals &totals, std::uint32_t code);
    std::uint32_t free_cell(const Totals &totals, std::uint32_t code) const;
    // A block with a place for every class may be full; others are kept a quarter empty, so that searches are short.
    bool has_room(const Totals &totals, std::uint32_t n_new) const {
        if (totals.size >= n_classes_ && totals.size > 0) return true;
        return totals.n_cells + n_new <= totals.size - (totals.size <= small ? 0 : totals.size / 4);
    }
    void make_room(Totals &totals, std::uint32_t n_cells);
    void move_to(Totals &totals, std::uint32_t size);
    std::uint32_t take(std::uint32_t size);
    void release(const Totals &totals) noexcept;

    std::vector<Totals> totals_;
    Buffer<Cell> cells_;
    Buffer<double> weights_;  // by cell
    bool is_weighted_ = false;
    std::uint64_t n_used_ = 0;                   // cells of the pool, those in free blocks included
    std::array<std::uint32_t, 32> free_blocks_;  // by the logarithm of their size; see `release`
    std::uint32_t n_classes_ = 0;
};

}  // namespace troenpy::tally
