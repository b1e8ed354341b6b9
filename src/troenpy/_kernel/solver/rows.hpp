// The rows of a sparse X made of parts, each of blocks over one pattern, and of a tail of further columns.
//
// A row is a run of cells, each a column and a value, so that a visit reads memory in order. The blocks of a term have
// columns next to each other. The tail is not copied: whoever makes Rows keeps it alive.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "cpu.hpp"
#include "storage.hpp"

namespace troenpy::solver {

// Further columns of every row: all of them if there are no indices, else those that `indices` names.
template <typename Value>
struct Tail {
    const Value *values = nullptr;
    const std::int32_t *indices = nullptr;
    const std::int64_t *starts = nullptr;  // of each row, in values; unless there are no indices
    std::size_t n_columns = 0;

    std::size_t begin(std::size_t row) const {
        return indices == nullptr ? row * n_columns : static_cast<std::size_t>(starts[row]);
    }
    std::size_t end(std::size_t row) const { return begin(row + 1); }
    // Of a value of a row that begins there.
    std::size_t column(std::size_t at, std::size_t begin) const {
        return indices == nullptr ? at - begin : static_cast<std::size_t>(indices[at]);
    }
};

// A part of X as CSR arrays: row r has its values in block 0, then the same columns in block 1, and so on.
template <typename Value, typename Index>
struct Part {
    const Value *data;
    const Index *indices, *indptr;
    std::size_t n_terms, n_blocks;
};

// One value of a row.
template <typename Value>
struct Cell {
    std::uint32_t column;
    Value value;
};

template <typename Value>
class Rows {
public:
    // The columns of all parts are numbered one after the other: those of a part term by term, with the blocks of each.
    template <typename Index>
    Rows(const std::vector<Part<Value, Index>> &parts, std::size_t n_rows, Tail<Value> tail)
        : tail_(tail), starts_(n_rows + 1, 0) {
        for (const Part<Value, Index> &part : parts) {
            n_cell_columns_ += part.n_terms * part.n_blocks;
            for (std::size_t row = 0; row < n_rows; ++row) {
                const auto length = static_cast<std::size_t>(part.indptr[row + 1] - part.indptr[row]);
                if (length % part.n_blocks != 0)
                    throw std::invalid_argument("the blocks of a row differ in their columns");
                starts_[row + 1] += length;
            }
        }
        if (n_columns() > std::numeric_limits<std::uint32_t>::max() ||
            n_rows > std::numeric_limits<std::uint32_t>::max())
            throw std::invalid_argument("more than 2**32 - 1 rows or columns");
        std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
        cells_ = Zeros<Cell<Value>>(starts_.back());
        std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
        std::size_t first_column = 0;
        for (const Part<Value, Index> &part : parts) {
            for (std::size_t row = 0; row < n_rows; ++row) next[row] += fill(part, row, first_column, next[row]);
            first_column += part.n_terms * part.n_blocks;
        }
    }

    std::size_t n_rows() const { return starts_.size() - 1; }
    std::size_t n_cell_columns() const { return n_cell_columns_; }
    std::size_t n_columns() const { return n_cell_columns_ + tail_.n_columns; }
    std::size_t begin(std::size_t row) const { return starts_[row]; }
    std::size_t end(std::size_t row) const { return starts_[row + 1]; }
    const Cell<Value> *cells() const { return cells_.data(); }
    const Tail<Value> &tail() const { return tail_; }

    // Asks for the memory of cells that are read soon.
    TROENPY_ALWAYS_INLINE void fetch(std::size_t begin, std::size_t end) const {
        constexpr std::size_t line = 64;
        const char *last = reinterpret_cast<const char *>(cells() + end);
        for (auto *at = reinterpret_cast<const char *>(cells() + begin); at < last; at += line) cpu::prefetch(at);
    }

    // Calls see(column, value) for everything in a row.
    template <typename See>
    void for_each(std::size_t row, See &&see) const {
        for (std::size_t at = begin(row); at < end(row); ++at) see(cells()[at].column, cells()[at].value);
        const std::size_t first = tail_.begin(row), last = tail_.end(row);
        for (std::size_t at = first; at < last; ++at) see(n_cell_columns_ + tail_.column(at, first), tail_.values[at]);
    }

private:
    // Writes the cells of a row of a part; returns how many.
    template <typename Index>
    std::size_t fill(const Part<Value, Index> &part, std::size_t row, std::size_t first_column, std::size_t start) {
        const auto begin = static_cast<std::size_t>(part.indptr[row]);
        const auto n_cells = static_cast<std::size_t>(part.indptr[row + 1]) - begin, n = n_cells / part.n_blocks;
        const Value *data = part.data + begin;
        const Index *indices = part.indices + begin;
        Cell<Value> *cell = cells_.data() + start;
        for (std::size_t i = 0; i < n; ++i) {
            const auto term = static_cast<std::uint64_t>(indices[i]);
            if (term >= part.n_terms) throw std::out_of_range("a column index is outside the first block");
            const std::uint64_t column = first_column + term * part.n_blocks;
            for (std::size_t b = 0; b < part.n_blocks; ++b, ++cell) {
                if (static_cast<std::uint64_t>(indices[b * n + i]) != term + b * part.n_terms)
                    throw std::invalid_argument("the blocks of a row differ in their columns");
                *cell = {static_cast<std::uint32_t>(column + b), data[b * n + i]};
            }
        }
        return n_cells;
    }

    std::size_t n_cell_columns_ = 0;
    Tail<Value> tail_;
    std::vector<std::size_t> starts_;  // of each row, in cells_
    Zeros<Cell<Value>> cells_;
};

}  // namespace troenpy::solver
