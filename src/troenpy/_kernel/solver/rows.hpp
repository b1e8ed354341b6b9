// The rows of a sparse X made of blocks over one pattern, and of a tail of further columns.
//
// For every term of a row its number once, and the values of all blocks side by side. The tail is not copied:
// whoever makes Rows keeps it alive.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
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

template <typename Value>
class Rows {
public:
    // CSR arrays, checked here: row r has its values in block 0, then the same columns in block 1, and so on.
    template <typename Index>
    Rows(const Value *data, const Index *indices, const Index *indptr, std::size_t n_rows, std::size_t n_terms,
         std::size_t n_blocks, Tail<Value> tail)
        : n_terms_(n_terms), n_blocks_(n_blocks), tail_(tail), starts_(n_rows + 1, 0) {
        if (n_terms > std::numeric_limits<std::uint32_t>::max() || n_rows > std::numeric_limits<std::uint32_t>::max())
            throw std::invalid_argument("more than 2**32 - 1 rows or columns");
        for (std::size_t row = 0; row < n_rows; ++row) {
            const auto length = static_cast<std::size_t>(indptr[row + 1] - indptr[row]);
            if (length % n_blocks != 0) throw std::invalid_argument("the blocks of a row differ in their columns");
            starts_[row + 1] = starts_[row] + length / n_blocks;
        }
        terms_ = Zeros<std::uint32_t>(starts_.back());
        values_ = Zeros<Value>(starts_.back() * n_blocks);
        for (std::size_t row = 0; row < n_rows; ++row)
            fill(row, data + indptr[row], indices + indptr[row], starts_[row + 1] - starts_[row]);
    }

    std::size_t n_rows() const { return starts_.size() - 1; }
    std::size_t n_terms() const { return n_terms_; }
    std::size_t n_blocks() const { return n_blocks_; }
    std::size_t n_columns() const { return n_terms_ * n_blocks_ + tail_.n_columns; }
    std::size_t begin(std::size_t row) const { return starts_[row]; }
    std::size_t end(std::size_t row) const { return starts_[row + 1]; }
    const std::uint32_t *terms() const { return terms_.data(); }
    const Value *values() const { return values_.data(); }  // n_blocks for each of the terms

    // Asks for the memory of a row that is read soon.
    void fetch(std::size_t begin, std::size_t end) const {
        constexpr std::size_t line = 64;
        const auto ask = [](const auto *first, const auto *last) {
            for (auto *at = reinterpret_cast<const char *>(first); at < reinterpret_cast<const char *>(last);
                 at += line)
                cpu::prefetch(at);
        };
        ask(terms_.data() + begin, terms_.data() + end);
        ask(values_.data() + begin * n_blocks_, values_.data() + end * n_blocks_);
    }
    const Tail<Value> &tail() const { return tail_; }

    // Calls see(column, value) for everything in a row.
    template <typename See>
    void for_each(std::size_t row, See &&see) const {
        for (std::size_t at = begin(row); at < end(row); ++at)
            for (std::size_t b = 0; b < n_blocks_; ++b) see(b * n_terms_ + terms()[at], values()[at * n_blocks_ + b]);
        const std::size_t first = tail_.begin(row), last = tail_.end(row);
        for (std::size_t at = first; at < last; ++at)
            see(n_terms_ * n_blocks_ + tail_.column(at, first), tail_.values[at]);
    }

private:
    template <typename Index>
    void fill(std::size_t row, const Value *data, const Index *indices, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t at = starts_[row] + i;
            const auto term = static_cast<std::uint64_t>(indices[i]);
            if (term >= n_terms_) throw std::out_of_range("a column index is outside the first block");
            terms_.data()[at] = static_cast<std::uint32_t>(term);
            for (std::size_t b = 0; b < n_blocks_; ++b) {
                if (static_cast<std::uint64_t>(indices[b * n + i]) != term + b * n_terms_)
                    throw std::invalid_argument("the blocks of a row differ in their columns");
                values_.data()[at * n_blocks_ + b] = data[b * n + i];
            }
        }
    }

    std::size_t n_terms_, n_blocks_;
    Tail<Value> tail_;
    std::vector<std::size_t> starts_;  // of each row, in terms_
    Zeros<std::uint32_t> terms_;
    Zeros<Value> values_;
};

}  // namespace troenpy::solver
