// Running counts of documents: per term, and per term and class, in cells that grow with what has been seen.
//
// The cells of a term are a block of 1, 2, 4, ... cells in one pool, an open-addressing table with the class as its
// own hash. Once a block has a cell for every class, a class is always found in its own place: one memory access.
// Counts are doubles, which are exact for whole numbers up to 2**53. So weighted and unweighted documents are one case.

#pragma once

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
        double count;
        std::uint32_t code;  // of the class
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
    const Totals &totals(std::uint32_t term) const { return totals_[term]; }
    void set_totals(std::uint32_t term, double weight, double occurrences, std::uint32_t n_documents);
    // The number of classes decides how full a block may become.
    void set_classes(std::uint32_t n_classes) { n_classes_ = n_classes; }

    // Adds terms without documents.
    void resize(std::uint32_t n_terms) { totals_.resize(n_terms); }

    // Adds a document to a term. If memory runs out, nothing has been added.
    void add(std::uint32_t term, std::uint32_t n_occurrences, const Label &label) {
        if (label.end - label.begin == 1) [[likely]] {
            Cell &only = cell(totals_[term], *label.begin);
            only.count += label.weight;
        } else {
            for (const std::uint32_t *code = label.begin; code < label.end; ++code) cell(totals_[term], *code);
            for (const std::uint32_t *code = label.begin; code < label.end; ++code)
                cell(totals_[term], *code).count += label.weight;
        }
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
        for (const TermSums::Sum *sum = sums.begin; sum < sums.end; ++sum) cell(totals, sum->code).count += sum->count;
        totals.weight += sums.n_documents;
        totals.occurrences += static_cast<double>(sums.occurrences);
        totals.n_documents += sums.n_documents;
    }

    // Adds to one cell only, to rebuild counts.
    void add_to_cell(std::uint32_t term, std::uint32_t code, double count) { cell(totals_[term], code).count += count; }

    // Forgets the documents of a term; its cells are used again.
    void clear(std::uint32_t term) {
        release(totals_[term]);
        totals_[term] = Totals();
    }

    void prefetch(std::uint32_t term) const { cpu::prefetch_to_write(totals_.data() + term); }
    // When its totals are in the cache.
    void prefetch_cell(std::uint32_t term, std::uint32_t code) const {
        if (term >= totals_.size()) return;
        const Totals &totals = totals_[term];
        cpu::prefetch_to_write(cells_.data() + totals.block + (code & (totals.size - 1)));
    }

    // Calls body(cell) for each cell of a term, in no particular order.
    template <typename F>
    void for_each_cell(std::uint32_t term, F &&body) const {
        const Totals &totals = totals_[term];
        for (const Cell *at = cells_.data() + totals.block; at < cells_.data() + totals.block + totals.size; ++at) {
            if (at->code != no_code) body(*at);
        }
    }

private:
    static constexpr std::uint32_t no_code = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::uint32_t no_block = no_code;
    static constexpr std::uint32_t small = 4;  // a block that is searched from end to end

    // The cell of a class, which is added if it is new.
    Cell &cell(Totals &totals, std::uint32_t code) {
        Cell *const block = cells_.data() + totals.block;
        const std::uint32_t mask = totals.size - 1;
        for (std::uint32_t step = 0; step < totals.size; ++step) {
            Cell &at = block[(code + step) & mask];
            if (at.code == code) return at;
            if (at.code == no_code) break;
        }
        return new_cell(totals, code);
    }

    Cell &new_cell(Totals &totals, std::uint32_t code);
    Cell &free_cell(Totals &totals, std::uint32_t code);
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
    std::uint64_t n_used_ = 0;                   // cells of the pool, those in free blocks included
    std::array<std::uint32_t, 32> free_blocks_;  // by the logarithm of their size; see `release`
    std::uint32_t n_classes_ = 0;
};

}  // namespace troenpy::tally
