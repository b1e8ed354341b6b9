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

// Row i belongs to class codes[i]. Rows are visited class by class, so that every column only remembers the
// class it was last seen in: no table of classes x columns is made.
template <typename Index>
ClassCounts class_document_counts(const Index *indptr, std::size_t n_rows, const Index *indices,
                                  const std::int64_t *codes, std::int64_t n_classes, std::int64_t n_columns) {
    std::vector<std::uint64_t> borders(static_cast<std::size_t>(n_classes) + 1, 0);
    for (std::size_t row = 0; row < n_rows; ++row) {
        if (codes[row] < 0 || codes[row] >= n_classes)
            throw std::out_of_range("a class code is outside [0, n_classes)");
        ++borders[static_cast<std::size_t>(codes[row]) + 1];
    }
    for (std::size_t i = 1; i < borders.size(); ++i) borders[i] += borders[i - 1];
    std::vector<std::size_t> rows(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row)
        rows[borders[static_cast<std::size_t>(codes[row])]++] = row;

    struct Last {
        std::int64_t code = -1;
        std::size_t cell = 0;
    };
    struct Cell {
        std::int64_t column, code, count;
    };
    std::vector<Last> last(static_cast<std::size_t>(n_columns));
    std::vector<Cell> cells;
    ClassCounts result;
    result.indptr.assign(static_cast<std::size_t>(n_columns) + 1, 0);
    for (const std::size_t row : rows) {
        const std::int64_t code = codes[row];
        for (auto at = static_cast<std::size_t>(indptr[row]); at < static_cast<std::size_t>(indptr[row + 1]);
             ++at) {
            const auto column = static_cast<std::size_t>(indices[at]);
            if (column >= last.size()) throw std::out_of_range("a column index is outside [0, n_columns)");
            if (last[column].code != code) {
                last[column] = {code, cells.size()};
                cells.push_back({static_cast<std::int64_t>(column), code, 0});
                ++result.indptr[column + 1];
            }
            ++cells[last[column].cell].count;
        }
    }
    for (std::size_t i = 1; i < result.indptr.size(); ++i) result.indptr[i] += result.indptr[i - 1];
    result.indices.resize(cells.size());
    result.data.resize(cells.size());
    std::vector<std::int64_t> next(result.indptr.begin(), result.indptr.end() - 1);
    for (const Cell &cell : cells) {
        const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(cell.column)]++);
        result.indices[at] = cell.code;
        result.data[at] = cell.count;
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

}  // namespace troenpy
