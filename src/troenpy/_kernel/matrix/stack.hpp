// Blocks of features next to each other, all with the sparsity pattern of one CSR matrix.

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cpu.hpp"
#include "matrix/rows.hpp"
#include "parallel.hpp"

namespace troenpy::matrix {

enum class Tf { raw, log, sqrt, binary };

inline Tf tf_by_name(const std::string &name) {
    if (name == "raw") return Tf::raw;
    if (name == "log") return Tf::log;
    if (name == "sqrt") return Tf::sqrt;
    if (name == "binary") return Tf::binary;
    throw std::invalid_argument("tf must be 'raw', 'log', 'sqrt' or 'binary', got '" + name + "'");
}

// 1 + log(count) for small counts, as a table.
inline double log_frequency(double count) {
    static const std::array<double, 256> known = [] {
        std::array<double, 256> values{};
        for (std::size_t i = 1; i < values.size(); ++i) values[i] = 1 + std::log(static_cast<double>(i));
        return values;
    }();
    const auto whole = static_cast<std::size_t>(count >= 1 && count < 256 ? count : 0);
    return whole != 0 && count == static_cast<double>(whole) ? known[whole] : 1 + std::log(count);
}

template <typename Value>
void write_frequencies(const Value *counts, std::size_t n, Tf tf, double *out) {
    const auto each = [&](auto frequency) {
        for (std::size_t i = 0; i < n; ++i) out[i] = frequency(static_cast<double>(counts[i]));
    };
    switch (tf) {
        case Tf::log:
            return each([](double count) { return log_frequency(count); });
        case Tf::sqrt:
            return each([](double count) { return std::sqrt(count); });
        case Tf::binary:
            return each([](double) { return 1.0; });
        case Tf::raw:
            return each([](double count) { return count; });
    }
}

struct Block {
    Tf tf;
    Norm norm;
};

// From pairs of the names of tf and norm.
inline std::vector<Block> blocks_by_name(const std::vector<std::pair<std::string, std::string>> &names) {
    std::vector<Block> blocks;
    for (const auto &[tf, norm] : names) blocks.push_back({tf_by_name(tf), norm_by_name(norm)});
    return blocks;
}

// A row of the result has, for every block b, tf_b(count) x weight_b(column) in column b * n_columns + column; each
// block is normalised separately. The `n_tail` values of the row in `tail` follow in extra columns.
template <typename Value, typename Index>
struct Stack {
    const Value *counts;
    const Index *indices, *indptr;
    std::size_t n_rows;
    const double *weights;  // [set][block][column]
    std::size_t n_sets, n_columns;
    const std::int64_t *sets;  // the set of weights of each row
    std::vector<Block> blocks;
    const Value *tail;
    std::size_t n_tail;
    Value *out;
    Index *out_indices;
};

// Writes the rows of the result one by one. A row is read before it is written, so if rows are written in order the
// counts may be stored at the end of the output arrays: after r rows with p values, the result ends at
// n_blocks * p + r * n_tail, and the remaining counts begin at (n_blocks - 1) * n_values + n_rows * n_tail + p, which
// is never less if there is at least one block.
template <typename Value, typename Index>
class StackWriter {
public:
    explicit StackWriter(const Stack<Value, Index> &stack) : stack_(stack) {}

    void write(std::size_t row) {
        const auto begin = static_cast<std::size_t>(stack_.indptr[row]);
        const auto end = static_cast<std::size_t>(stack_.indptr[row + 1]);
        const std::size_t before = begin - static_cast<std::size_t>(stack_.indptr[0]);
        const auto set = static_cast<std::uint64_t>(stack_.sets[row]);
        if (set >= stack_.n_sets) throw std::out_of_range("a row names a set of weights that is not there");
        const double *weights = stack_.weights + set * stack_.blocks.size() * stack_.n_columns;
        read(begin, end, weights);
        std::size_t next = before * stack_.blocks.size() + row * stack_.n_tail;
        for (std::size_t b = 0; b < stack_.blocks.size(); ++b, next += end - begin)
            write_block(b, weights + b * stack_.n_columns, next);
        for (std::size_t i = 0; i < stack_.n_tail; ++i, ++next) {
            stack_.out[next] = stack_.tail[row * stack_.n_tail + i];
            stack_.out_indices[next] = static_cast<Index>(stack_.blocks.size() * stack_.n_columns + i);
        }
    }

private:
    void read(std::size_t begin, std::size_t end, const double *weights) {
        counts_.assign(stack_.counts + begin, stack_.counts + end);
        columns_.assign(stack_.indices + begin, stack_.indices + end);
        frequencies_.resize(end - begin);
        const std::size_t n_blocks = stack_.blocks.size(), n_columns = stack_.n_columns;
        for (const Index index : columns_) {
            const auto column = static_cast<std::uint64_t>(index);
            if (column >= n_columns) throw std::out_of_range("a column index is outside the weights");
            // Prefetch the weights of the other blocks while the first waits for its own.
            for (std::size_t b = 1; b < n_blocks; ++b) cpu::prefetch(weights + b * n_columns + column);
        }
    }

    void write_block(std::size_t b, const double *weights, std::size_t next) {
        const std::vector<Block> &blocks = stack_.blocks;
        const std::size_t n = columns_.size();
        if (b == 0 || blocks[b].tf != blocks[b - 1].tf)
            write_frequencies(counts_.data(), n, blocks[b].tf, frequencies_.data());
        const auto first_column = static_cast<Index>(b * stack_.n_columns);
        const Index *columns = columns_.data();
        const double *frequencies = frequencies_.data();
        Value *out = stack_.out + next;
        Index *out_indices = stack_.out_indices + next;
        for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<Value>(frequencies[i] * weights[columns[i]]);
        for (std::size_t i = 0; i < n; ++i) out_indices[i] = columns[i] + first_column;
        normalise_row(out, n, blocks[b].norm);
    }

    const Stack<Value, Index> &stack_;
    std::vector<Value> counts_;
    std::vector<Index> columns_;
    std::vector<double> frequencies_;
};

template <typename Value, typename Index>
void stack_blocks(const Stack<Value, Index> &stack, unsigned n_threads) {
    constexpr std::size_t rows_per_task = 512;
    const std::size_t n_tasks = (stack.n_rows + rows_per_task - 1) / rows_per_task;
    std::vector<StackWriter<Value, Index>> writers(useful_threads(n_threads, n_tasks), StackWriter(stack));
    run_tasks(n_threads, n_tasks, [&](unsigned worker, std::size_t task, Watch &watch) {
        watch.check();
        const std::size_t last = std::min(stack.n_rows, (task + 1) * rows_per_task);
        for (std::size_t row = task * rows_per_task; row < last; ++row) writers[worker].write(row);
    });
}

}  // namespace troenpy::matrix
