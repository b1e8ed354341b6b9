// Documents per class and column.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "parallel.hpp"
#include "storage.hpp"

namespace troenpy::matrix {

// The arrays of a CSC matrix of classes by columns, and its column sums.
template <typename Index>
struct ClassCounts {
    std::vector<Index> indptr;
    Buffer<Index> classes;
    Buffer<std::int64_t> counts;
    Buffer<std::int64_t> totals;
    std::size_t n_cells() const { return static_cast<std::size_t>(indptr.back()); }
};

constexpr const char *not_ascending = "the columns of a row do not ascend";

// Counts the columns [first, first + n_columns) class by class, with one counter per column that is reset after each
// class, so that no table of classes x columns is needed.
template <typename Index>
class ClassCounter {
public:
    ClassCounter(std::int64_t first, std::size_t n_columns)
        : first_(first), counters_(n_columns), touched_(n_columns + 1), lengths_(n_columns) {}

    void add(const Index *begin, const Index *end) {
        for (const Index *column = begin; column < end; ++column) {
            const auto local = static_cast<std::uint64_t>(*column - first_);
            if (local >= counters_.size()) throw std::invalid_argument(not_ascending);
            touched_[n_touched_] = static_cast<std::uint32_t>(local);
            n_touched_ += counters_[local]++ == 0;
        }
        n_added_ += static_cast<std::uint64_t>(end - begin);
    }

    void finish_class() {
        cells_.reserve(n_cells_ + n_touched_);
        for (std::size_t i = 0; i < n_touched_; ++i) {
            const std::uint32_t column = touched_[i];
            cells_[n_cells_++] = {column, counters_[column]};
            ++lengths_[column];
            counters_[column] = 0;
        }
        n_touched_ = 0;
        class_ends_.push_back(n_cells_);
    }

    std::uint64_t n_added() const { return n_added_; }

    // The number of non-zero counts of each column.
    const std::vector<Index> &lengths() const { return lengths_; }

    // Writes the non-zero counts by column, classes ascending. `borders` is where each of these columns begins.
    void write(const Index *borders, Index *classes, std::int64_t *counts, std::int64_t *totals) {
        const std::size_t n_columns = counters_.size();
        std::copy(borders, borders + n_columns, lengths_.begin());
        std::size_t cell = 0;
        for (std::size_t code = 0; code < class_ends_.size(); ++code) {
            for (; cell < class_ends_[code]; ++cell) {
                const auto at = static_cast<std::size_t>(lengths_[cells_[cell].column]++);
                classes[at] = static_cast<Index>(code);
                counts[at] = cells_[cell].count;
            }
        }
        for (std::size_t column = 0; column < n_columns; ++column)
            totals[column] = std::accumulate(counts + borders[column], counts + borders[column + 1], std::int64_t{0});
    }

private:
    struct Cell {
        std::uint32_t column, count;
    };

    std::int64_t first_;
    std::vector<std::uint32_t> counters_, touched_;
    std::vector<Index> lengths_;
    std::size_t n_touched_ = 0;
    std::uint64_t n_added_ = 0;
    Buffer<Cell> cells_;  // class after class
    std::size_t n_cells_ = 0;
    std::vector<std::size_t> class_ends_;
};

// Row i belongs to class codes[i]; its column indices must be sorted.
template <typename Index>
struct LabelledRows {
    const Index *indptr, *indices;
    const std::int64_t *codes;
    std::size_t n_rows;
    std::int64_t n_classes, n_columns;

    const Index *begin(std::size_t row) const { return indices + indptr[row]; }
    const Index *end(std::size_t row) const { return indices + indptr[row + 1]; }
    std::uint64_t n_stored() const { return static_cast<std::uint64_t>(indptr[n_rows] - indptr[0]); }
};

// Rows sorted by class: those of class c are rows[begins[c]] to rows[begins[c + 1] - 1].
struct RowsByClass {
    std::vector<std::size_t> begins, rows;
};

template <typename Index>
RowsByClass sort_by_class(const LabelledRows<Index> &given) {
    RowsByClass sorted{std::vector<std::size_t>(static_cast<std::size_t>(given.n_classes) + 2, 0),
                       std::vector<std::size_t>(given.n_rows)};
    for (std::size_t row = 0; row < given.n_rows; ++row) {
        if (given.codes[row] < 0 || given.codes[row] >= given.n_classes)
            throw std::out_of_range("a class code is outside [0, n_classes)");
        ++sorted.begins[static_cast<std::size_t>(given.codes[row]) + 2];
    }
    std::partial_sum(sorted.begins.begin(), sorted.begins.end(), sorted.begins.begin());
    for (std::size_t row = 0; row < given.n_rows; ++row) {
        const Index *begin = given.begin(row), *end = given.end(row);
        if (begin < end && (*begin < 0 || *(end - 1) >= given.n_columns))
            throw std::out_of_range("a column index is outside [0, n_columns)");
        sorted.rows[sorted.begins[static_cast<std::size_t>(given.codes[row]) + 1]++] = row;
    }
    return sorted;
}

// Columns are counted in blocks that fit in the cache. A row should have about ten columns per block, or else finding
// where the block begins would cost more than counting.
template <typename Index>
std::uint64_t block_width(const LabelledRows<Index> &given, unsigned n_threads) {
    const std::uint64_t useful_blocks = given.n_rows == 0 ? 1 : given.n_stored() / given.n_rows / 8 + 1;
    const std::uint64_t narrowest = std::uint64_t{1} << (n_threads > 1 ? 16 : 18);
    return std::max(static_cast<std::uint64_t>(given.n_columns) / useful_blocks + 1, narrowest);
}

// Counts the columns [first, last) of all rows.
template <typename Index>
std::unique_ptr<ClassCounter<Index>> count_block(const LabelledRows<Index> &given, const RowsByClass &sorted,
                                                 std::int64_t first, std::int64_t last, Watch &watch) {
    auto counter = std::make_unique<ClassCounter<Index>>(first, static_cast<std::size_t>(last - first));
    for (std::size_t code = 0; code < static_cast<std::size_t>(given.n_classes); ++code) {
        for (std::size_t i = sorted.begins[code]; i < sorted.begins[code + 1]; ++i) {
            if (i % 4096 == 0) watch.check();
            const Index *begin = given.begin(sorted.rows[i]), *end = given.end(sorted.rows[i]);
            if (first > 0) begin = std::lower_bound(begin, end, first);
            if (last < given.n_columns) end = std::lower_bound(begin, end, last);
            counter->add(begin, end);
        }
        counter->finish_class();
    }
    return counter;
}

template <typename Index>
ClassCounts<Index> class_document_counts(const LabelledRows<Index> &given, unsigned n_threads) {
    if (given.n_classes > std::numeric_limits<Index>::max())
        throw std::overflow_error("more classes than an index can number");
    const auto n_columns = static_cast<std::size_t>(given.n_columns);
    const std::uint64_t width = block_width(given, n_threads);
    const RowsByClass sorted = sort_by_class(given);
    ClassCounts<Index> result;
    result.indptr.assign(n_columns + 1, 0);
    std::vector<std::unique_ptr<ClassCounter<Index>>> blocks(n_columns / width + 1);
    run_tasks(n_threads, blocks.size(), [&](unsigned, std::size_t block, Watch &watch) {
        const std::uint64_t first = block * width, last = std::min<std::uint64_t>(n_columns, first + width);
        blocks[block] =
            count_block(given, sorted, static_cast<std::int64_t>(first), static_cast<std::int64_t>(last), watch);
        const std::vector<Index> &lengths = blocks[block]->lengths();
        std::copy(lengths.begin(), lengths.end(), result.indptr.data() + first + 1);
    });
    // In an unsorted row the columns of a block are not contiguous, so some are missed.
    std::uint64_t n_added = 0;
    for (const auto &block : blocks) n_added += block->n_added();
    if (n_added != given.n_stored()) throw std::invalid_argument(not_ascending);
    std::partial_sum(result.indptr.begin(), result.indptr.end(), result.indptr.begin());
    result.classes.reserve(result.n_cells());
    result.counts.reserve(result.n_cells());
    result.totals.reserve(n_columns);
    run_tasks(n_threads, blocks.size(), [&](unsigned, std::size_t block, Watch &) {
        blocks[block]->write(result.indptr.data() + block * width, result.classes.data(), result.counts.data(),
                             result.totals.data() + block * width);
        blocks[block].reset();
    });
    return result;
}

}  // namespace troenpy::matrix
