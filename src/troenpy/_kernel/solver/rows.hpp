// The rows of a sparse X made of parts, each of blocks over one pattern, and of a tail of further columns.
//
// For every term of a row its number once, and the values of all blocks side by side. The tail is not copied:
// whoever makes Rows keeps it alive.

#pragma once

#include <algorithm>
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

template <typename Value>
class Rows {
public:
    // The terms of all parts are numbered one after the other. If parts differ in their number of blocks, as many blocks
    // are side by side as divide them all, and a term has a number for each such group: nothing is padded.
    template <typename Index>
    Rows(const std::vector<Part<Value, Index>> &parts, std::size_t n_rows, Tail<Value> tail)
        : tail_(tail), starts_(n_rows + 1, 0) {
        for (const Part<Value, Index> &part : parts) n_blocks_ = std::gcd(n_blocks_, part.n_blocks);
        for (const Part<Value, Index> &part : parts) {
            n_terms_ += part.n_terms * (part.n_blocks / n_blocks_);
            for (std::size_t row = 0; row < n_rows; ++row) {
                const auto length = static_cast<std::size_t>(part.indptr[row + 1] - part.indptr[row]);
                if (length % part.n_blocks != 0)
                    throw std::invalid_argument("the blocks of a row differ in their columns");
                starts_[row + 1] += length / n_blocks_;
            }
        }
        if (n_terms_ > std::numeric_limits<std::uint32_t>::max() || n_rows > std::numeric_limits<std::uint32_t>::max())
            throw std::invalid_argument("more than 2**32 - 1 rows or columns");
        std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
        terms_ = Zeros<std::uint32_t>(starts_.back());
        values_ = Zeros<Value>(starts_.back() * n_blocks_);
        std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
        std::size_t first_term = 0;
        for (const Part<Value, Index> &part : parts) {
            for (std::size_t group = 0; group < part.n_blocks / n_blocks_; ++group, first_term += part.n_terms)
                for (std::size_t row = 0; row < n_rows; ++row)
                    fill(part, row, group * n_blocks_, first_term, next[row]);
        }
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
    // Appends n_blocks_ blocks of a row, from the first on.
    template <typename Index>
    void fill(const Part<Value, Index> &part, std::size_t row, std::size_t first_block, std::size_t first_term,
              std::size_t &next) {
        const auto begin = static_cast<std::size_t>(part.indptr[row]);
        const std::size_t n = (static_cast<std::size_t>(part.indptr[row + 1]) - begin) / part.n_blocks;
        const Value *data = part.data + begin;
        const Index *indices = part.indices + begin;
        for (std::size_t i = 0; i < n; ++i, ++next) {
            const auto term = static_cast<std::uint64_t>(indices[i]);
            if (term >= part.n_terms) throw std::out_of_range("a column index is outside the first block");
            terms_.data()[next] = static_cast<std::uint32_t>(first_term + term);
            for (std::size_t b = 0; b < n_blocks_; ++b) {
                const std::size_t at = (first_block + b) * n + i;
                if (static_cast<std::uint64_t>(indices[at]) != term + (first_block + b) * part.n_terms)
                    throw std::invalid_argument("the blocks of a row differ in their columns");
                values_.data()[next * n_blocks_ + b] = data[at];
            }
        }
    }

    std::size_t n_terms_ = 0, n_blocks_ = 0;
    Tail<Value> tail_;
    std::vector<std::size_t> starts_;  // of each row, in terms_
    Zeros<std::uint32_t> terms_;
    Zeros<Value> values_;
};

}  // namespace troenpy::solver
