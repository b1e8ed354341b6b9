// Loops over sparse matrices in CSR form, without Python.

#pragma once

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "parallel.hpp"

namespace troenpy {

enum class Norm { none, l1, l2, hellinger };

// Documents per class and column, by column: the arrays of a CSC matrix with classes as rows.
struct ClassCounts {
    std::vector<std::int64_t> indptr, indices, data;
};

// Row i belongs to class codes[i]. Rows are visited class by class, with one counter per column that is
// emptied after each class: no table of classes x columns is made.
template <typename Index>
ClassCounts class_document_counts(const Index *indptr, std::size_t n_rows, const Index *indices,
                                  const std::int64_t *codes, std::int64_t n_classes, std::int64_t n_columns) {
    std::vector<std::size_t> ends(static_cast<std::size_t>(n_classes) + 1, 0);
    for (std::size_t row = 0; row < n_rows; ++row) {
        if (codes[row] < 0 || codes[row] >= n_classes)
            throw std::out_of_range("a class code is outside [0, n_classes)");
        ++ends[static_cast<std::size_t>(codes[row]) + 1];
    }
    for (std::size_t i = 1; i < ends.size(); ++i) ends[i] += ends[i - 1];
    std::vector<std::size_t> rows(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) rows[ends[static_cast<std::size_t>(codes[row])]++] = row;

    struct Cell {
        Index column;
        Index count;
    };
    std::vector<Cell> cells;
    std::vector<std::size_t> class_ends;
    std::vector<Index> counters(static_cast<std::size_t>(n_columns), 0);
    std::vector<Index> touched(static_cast<std::size_t>(n_columns) + 1);
    ClassCounts result;
    result.indptr.assign(static_cast<std::size_t>(n_columns) + 1, 0);
    std::size_t next_row = 0;
    for (const std::size_t end : ends) {
        std::size_t n_touched = 0;
        for (; next_row < end; ++next_row) {
            const std::size_t row = rows[next_row];
            for (auto at = static_cast<std::size_t>(indptr[row]);
                 at < static_cast<std::size_t>(indptr[row + 1]); ++at) {
                const auto column = static_cast<std::size_t>(indices[at]);
                if (column >= counters.size())
                    throw std::out_of_range("a column index is outside [0, n_columns)");
                touched[n_touched] = indices[at];
                n_touched += counters[column]++ == 0;
            }
        }
        for (std::size_t i = 0; i < n_touched; ++i) {
            const auto column = static_cast<std::size_t>(touched[i]);
            cells.push_back({touched[i], counters[column]});
            counters[column] = 0;
            ++result.indptr[column + 1];
        }
        class_ends.push_back(cells.size());
    }
    for (std::size_t i = 1; i < result.indptr.size(); ++i) result.indptr[i] += result.indptr[i - 1];
    result.indices.resize(cells.size());
    result.data.resize(cells.size());
    std::vector<std::int64_t> next(result.indptr.begin(), result.indptr.end() - 1);
    std::size_t cell = 0;
    for (std::size_t code = 0; code < class_ends.size(); ++code) {
        for (; cell < class_ends[code]; ++cell) {
            const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(cells[cell].column)]++);
            result.indices[at] = static_cast<std::int64_t>(code);
            result.data[at] = cells[cell].count;
        }
    }
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

enum class Tf { raw, log, sqrt, binary };

inline double term_frequency(double count, Tf tf) {
    switch (tf) {
        case Tf::log:
            return 1 + std::log(count);
        case Tf::sqrt:
            return std::sqrt(count);
        case Tf::binary:
            return 1;
        default:
            return count;
    }
}

struct Block {
    Tf tf;
    Norm norm;
};

// Blocks of features side by side, over one pattern: row r of the result is, for every block b, tf_b(count) x
// weight_b(column) at b * n_columns + column, each block normalised by itself. Weights are
// [set][block][column]; a row takes the set that `sets` names. Rows are read before they are written, in
// order, so that the counts may stand at the end of the arrays that the result fills: the result of the first
// p values ends at n_blocks * p, the counts of the rest begin at (n_blocks - 1) * n_values + p, which is
// never less.
template <typename Value, typename Index>
void stack_blocks(const Value *counts, const Index *indices, const Index *indptr, std::size_t n_rows,
                  const double *weights, std::size_t n_sets, std::size_t n_columns, const std::int64_t *sets,
                  const std::vector<Block> &blocks, Value *out, Index *out_indices) {
    std::vector<Value> row_counts;
    std::vector<Index> row_columns;
    std::size_t next = 0;
    for (std::size_t row = 0; row < n_rows; ++row) {
        const auto begin = static_cast<std::size_t>(indptr[row]);
        const auto end = static_cast<std::size_t>(indptr[row + 1]);
        row_counts.assign(counts + begin, counts + end);
        row_columns.assign(indices + begin, indices + end);
        const auto set = static_cast<std::uint64_t>(sets[row]);
        if (set >= n_sets) throw std::out_of_range("a row names a set of weights that is not there");
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            const double *by_column = weights + (set * blocks.size() + b) * n_columns;
            for (std::size_t i = 0; i < row_counts.size(); ++i) {
                const auto column = static_cast<std::uint64_t>(row_columns[i]);
                if (column >= n_columns) throw std::out_of_range("a column index is outside the weights");
                out[next + i] =
                    static_cast<Value>(term_frequency(row_counts[i], blocks[b].tf) * by_column[column]);
                out_indices[next + i] = static_cast<Index>(b * n_columns + column);
            }
            normalise_row(out + next, row_counts.size(), blocks[b].norm);
            next += row_counts.size();
        }
    }
}

}  // namespace troenpy
