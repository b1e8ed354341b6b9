// Loops over sparse matrices in CSR form, without Python.

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "cpu.hpp"
#include "parallel.hpp"
#include "storage.hpp"

namespace troenpy::matrix {

enum class Norm { none, l1, l2, hellinger };

// Documents per class and column, by column: the arrays of a CSC matrix with classes as rows, and its sums.
template <typename Index>
struct ClassCounts {
    std::vector<Index> indptr;
    Buffer<Index> classes;
    Buffer<std::int64_t> counts;
    Buffer<std::int64_t> totals;
    std::size_t n_cells() const { return static_cast<std::size_t>(indptr.back()); }
};

constexpr const char *not_ascending = "the columns of a row do not ascend";

// Counts columns [first, first + n_columns) of the rows of one class after the other, with one counter per
// column that is emptied after each class: no table of classes x columns is made.
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

    // Cells of each column.
    const std::vector<Index> &lengths() const { return lengths_; }

    // Writes the cells by column, classes ascending. `borders` are those of this counter's columns.
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
            totals[column] =
                std::accumulate(counts + borders[column], counts + borders[column + 1], std::int64_t{0});
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

// Row i belongs to class codes[i]; its columns ascend. Blocks of columns, which fit the cache, are counted
// apart.
template <typename Index>
ClassCounts<Index> class_document_counts(const Index *indptr, std::size_t n_rows, const Index *indices,
                                         const std::int64_t *codes, std::int64_t n_classes,
                                         std::int64_t n_columns, unsigned n_threads) {
    if (n_classes > std::numeric_limits<Index>::max())
        throw std::overflow_error("more classes than an index can number");
    // No more than leave a row some ten columns in a block: finding where they begin must not cost more than
    // they do.
    const std::uint64_t n_stored = static_cast<std::uint64_t>(indptr[n_rows] - indptr[0]);
    const std::uint64_t useful_blocks = n_rows == 0 ? 1 : n_stored / n_rows / 8 + 1;
    const std::uint64_t narrowest = std::uint64_t{1} << (n_threads > 1 ? 16 : 17);
    const std::uint64_t width =
        std::max(static_cast<std::uint64_t>(n_columns) / useful_blocks + 1, narrowest);
    const std::size_t n_blocks = static_cast<std::size_t>(static_cast<std::uint64_t>(n_columns) / width) + 1;

    std::vector<std::size_t> begins(static_cast<std::size_t>(n_classes) + 2, 0);
    for (std::size_t row = 0; row < n_rows; ++row) {
        if (codes[row] < 0 || codes[row] >= n_classes)
            throw std::out_of_range("a class code is outside [0, n_classes)");
        ++begins[static_cast<std::size_t>(codes[row]) + 2];
    }
    for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
    std::vector<std::size_t> rows(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) {
        const Index *begin = indices + indptr[row], *end = indices + indptr[row + 1];
        if (begin < end && (*begin < 0 || *(end - 1) >= n_columns))
            throw std::out_of_range("a column index is outside [0, n_columns)");
        rows[begins[static_cast<std::size_t>(codes[row]) + 1]++] = row;
    }

    ClassCounts<Index> result;
    result.indptr.assign(static_cast<std::size_t>(n_columns) + 1, 0);
    std::vector<std::unique_ptr<ClassCounter<Index>>> blocks(n_blocks);
    run_tasks(n_threads, n_blocks, [&](unsigned, std::size_t block, Watch &watch) {
        const auto first = static_cast<std::int64_t>(block * width);
        const std::int64_t last = std::min(n_columns, first + static_cast<std::int64_t>(width));
        auto counter = std::make_unique<ClassCounter<Index>>(first, static_cast<std::size_t>(last - first));
        for (std::int64_t code = 0; code < n_classes; ++code) {
            const auto class_number = static_cast<std::size_t>(code);
            for (std::size_t i = begins[class_number]; i < begins[class_number + 1]; ++i) {
                if (i % 4096 == 0) watch.check();
                const Index *begin = indices + indptr[rows[i]], *end = indices + indptr[rows[i] + 1];
                if (first > 0) begin = std::lower_bound(begin, end, first);
                if (last < n_columns) end = std::lower_bound(begin, end, last);
                counter->add(begin, end);
            }
            counter->finish_class();
        }
        std::copy(counter->lengths().begin(), counter->lengths().end(), result.indptr.begin() + first + 1);
        blocks[block] = std::move(counter);
    });
    // In a row that does not ascend, what belongs to a block is not found as one run.
    std::uint64_t n_added = 0;
    for (const auto &block : blocks) n_added += block->n_added();
    if (n_added != n_stored) throw std::invalid_argument(not_ascending);
    for (std::size_t i = 1; i < result.indptr.size(); ++i) result.indptr[i] += result.indptr[i - 1];
    result.classes.reserve(result.n_cells());
    result.counts.reserve(result.n_cells());
    result.totals.reserve(static_cast<std::size_t>(n_columns));
    run_tasks(n_threads, n_blocks, [&](unsigned, std::size_t block, Watch &) {
        blocks[block]->write(result.indptr.data() + block * width, result.classes.data(),
                             result.counts.data(), result.totals.data() + block * width);
        blocks[block].reset();
    });
    return result;
}

// Sums are in double and in order, whatever the type of the values.
template <typename Out>
void normalise_row(Out *row, std::size_t n, Norm norm) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double value = row[i];
        sum += norm == Norm::l2 ? value * value : std::abs(value);
    }
    if (sum == 0 || norm == Norm::none) return;
    const double length = norm == Norm::l2 ? std::sqrt(sum) : sum;
    for (std::size_t i = 0; i < n; ++i) {
        const double share = row[i] / length;
        row[i] = static_cast<Out>(norm == Norm::hellinger ? std::copysign(std::sqrt(std::abs(share)), share)
                                                          : share);
    }
}

// out[j] = data[j] * weights[indices[j]], then every row divided by its norm; a row of zeros stays. `out` may
// be `data`.
template <typename In, typename Index, typename Out>
void weigh_rows(const In *data, const Index *indices, const Index *indptr, std::size_t n_rows,
                const double *weights, std::size_t n_columns, Norm norm, Out *out, unsigned n_threads) {
    constexpr std::size_t rows_per_task = 1024;
    run_tasks(n_threads, (n_rows + rows_per_task - 1) / rows_per_task,
              [&](unsigned, std::size_t task, Watch &) {
                  const std::size_t first = task * rows_per_task;
                  const std::size_t last = n_rows < first + rows_per_task ? n_rows : first + rows_per_task;
                  for (std::size_t row = first; row < last; ++row) {
                      const auto begin = static_cast<std::size_t>(indptr[row]);
                      const auto end = static_cast<std::size_t>(indptr[row + 1]);
                      for (std::size_t at = begin; at < end; ++at) {
                          const auto column = static_cast<std::uint64_t>(indices[at]);
                          if (column >= n_columns)
                              throw std::out_of_range("a column index is outside the weights");
                          out[at] = static_cast<Out>(static_cast<double>(data[at]) * weights[column]);
                      }
                      if (norm != Norm::none) normalise_row(out + begin, end - begin, norm);
                  }
              });
}

// out[i] = min over j of table[i][j] - less[j], for a dense table of at least one column, without NaN.
inline void write_least_differences(const double *table, std::size_t n_rows, std::size_t n_columns,
                                    const double *less, double *out) {
    constexpr std::size_t n_lanes = 8;  // minima that are kept side by side: vector instructions
    const std::size_t n_whole = n_columns - n_columns % n_lanes;
    for (std::size_t i = 0; i < n_rows; ++i) {
        const double *row = table + i * n_columns;
        std::array<double, n_lanes> lanes;
        lanes.fill(row[0] - less[0]);
        for (std::size_t j = 0; j < n_whole; j += n_lanes) {
            for (std::size_t lane = 0; lane < n_lanes; ++lane) {
                const double difference = row[j + lane] - less[j + lane];
                lanes[lane] = difference < lanes[lane] ? difference : lanes[lane];
            }
        }
        for (std::size_t j = n_whole; j < n_columns; ++j) lanes[0] = std::min(lanes[0], row[j] - less[j]);
        out[i] = *std::min_element(lanes.begin(), lanes.end());
    }
}

enum class Tf { raw, log, sqrt, binary };

// 1 + log(count) for the counts that nearly all terms have.
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

// Blocks of features side by side, over one pattern: row r of the result is, for every block b, tf_b(count) x
// weight_b(column) at b * n_columns + column, each block normalised by itself. Weights are
// [set][block][column]; a row takes the set that `sets` names. The `n_tail` values that `tail` has for each
// row follow its blocks, in columns of their own.
//
// With one thread, rows are read before they are written, in order, so that the counts may stand at the end
// of the arrays that the result fills: when r rows with p values are done, the result ends at
// n_blocks * p + r * n_tail, the counts of the rest begin at (n_blocks - 1) * n_values + n_rows * n_tail + p,
// which is never less if there is a block.
template <typename Value, typename Index>
void stack_blocks(const Value *counts, const Index *indices, const Index *indptr, std::size_t n_rows,
                  const double *weights, std::size_t n_sets, std::size_t n_columns, const std::int64_t *sets,
                  const std::vector<Block> &blocks, const Value *tail, std::size_t n_tail, Value *out,
                  Index *out_indices, unsigned n_threads) {
    constexpr std::size_t rows_per_task = 512;
    struct Row {
        std::vector<Value> counts;
        std::vector<Index> columns;
        std::vector<double> frequencies;
    };
    std::vector<Row> rows(n_threads);
    run_tasks(n_threads, (n_rows + rows_per_task - 1) / rows_per_task,
              [&](unsigned worker, std::size_t task, Watch &watch) {
                  watch.check();
                  Row &held = rows[worker];
                  const std::size_t last = std::min(n_rows, (task + 1) * rows_per_task);
                  for (std::size_t row = task * rows_per_task; row < last; ++row) {
                      const auto begin = static_cast<std::size_t>(indptr[row]);
                      const auto end = static_cast<std::size_t>(indptr[row + 1]);
                      const std::size_t n = end - begin;
                      std::size_t next =
                          (begin - static_cast<std::size_t>(indptr[0])) * blocks.size() + row * n_tail;
                      held.counts.assign(counts + begin, counts + end);
                      held.columns.assign(indices + begin, indices + end);
                      held.frequencies.resize(n);
                      const auto set = static_cast<std::uint64_t>(sets[row]);
                      if (set >= n_sets)
                          throw std::out_of_range("a row names a set of weights that is not there");
                      for (std::size_t i = 0; i < n; ++i) {
                          const auto column = static_cast<std::uint64_t>(held.columns[i]);
                          if (column >= n_columns)
                              throw std::out_of_range("a column index is outside the weights");
                          // The first block waits for its weights to arrive; those of the others come along.
                          for (std::size_t b = 1; b < blocks.size(); ++b)
                              cpu::prefetch(weights + (set * blocks.size() + b) * n_columns + column);
                      }
                      for (std::size_t b = 0; b < blocks.size(); ++b, next += n) {
                          const double *by_column = weights + (set * blocks.size() + b) * n_columns;
                          if (b == 0 || blocks[b].tf != blocks[b - 1].tf)
                              write_frequencies(held.counts.data(), n, blocks[b].tf, held.frequencies.data());
                          const auto first_column = static_cast<Index>(b * n_columns);
                          const Index *columns = held.columns.data();
                          const double *frequencies = held.frequencies.data();
                          for (std::size_t i = 0; i < n; ++i)
                              out[next + i] = static_cast<Value>(frequencies[i] * by_column[columns[i]]);
                          for (std::size_t i = 0; i < n; ++i)
                              out_indices[next + i] = columns[i] + first_column;
                          normalise_row(out + next, n, blocks[b].norm);
                      }
                      for (std::size_t i = 0; i < n_tail; ++i, ++next) {
                          out[next] = tail[row * n_tail + i];
                          out_indices[next] = static_cast<Index>(blocks.size() * n_columns + i);
                      }
                  }
              });
}

}  // namespace troenpy::matrix
