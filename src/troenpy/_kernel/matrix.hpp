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

// Rows sorted by class, and where the classes begin.
struct RowsByClass {
    std::vector<std::size_t> borders, rows;
};

inline RowsByClass rows_by_class(const std::int64_t *codes, std::size_t n_rows, std::size_t n_classes) {
    RowsByClass result{std::vector<std::size_t>(n_classes + 1, 0), std::vector<std::size_t>(n_rows)};
    for (std::size_t row = 0; row < n_rows; ++row) {
        const auto code = static_cast<std::uint64_t>(codes[row]);
        if (code >= n_classes) throw std::out_of_range("a class code is outside [0, n_classes)");
        ++result.borders[code + 1];
    }
    for (std::size_t i = 1; i < result.borders.size(); ++i) result.borders[i] += result.borders[i - 1];
    std::vector<std::size_t> next(result.borders);
    for (std::size_t row = 0; row < n_rows; ++row)
        result.rows[next[static_cast<std::size_t>(codes[row])]++] = row;
    return result;
}

// Row i belongs to class codes[i]. Rows are visited class by class, so that every column only remembers where
// the class it was last seen in counts it: no table of classes x columns is made. Small holds any number of
// cells.
template <typename Index, typename Small>
ClassCounts class_document_counts(const Index *indptr, std::size_t n_rows, const Index *indices,
                                  const std::int64_t *codes, std::size_t n_classes, std::size_t n_columns) {
    struct Cell {
        Small column, count;
    };
    const RowsByClass by_class = rows_by_class(codes, n_rows, n_classes);
    std::vector<Small> last_cell(n_columns, 0);  // counted from one
    std::vector<Cell> cells;
    std::vector<std::size_t> class_cells{0};
    ClassCounts result;
    result.indptr.assign(n_columns + 1, 0);
    for (std::size_t code = 0; code < n_classes; ++code) {
        const std::size_t first_cell = cells.size();
        for (std::size_t i = by_class.borders[code]; i < by_class.borders[code + 1]; ++i) {
            const std::size_t row = by_class.rows[i];
            for (auto at = static_cast<std::size_t>(indptr[row]);
                 at < static_cast<std::size_t>(indptr[row + 1]); ++at) {
                const auto column = static_cast<std::size_t>(indices[at]);
                if (column >= n_columns) throw std::out_of_range("a column index is outside [0, n_columns)");
                if (last_cell[column] <= first_cell) {
                    cells.push_back({static_cast<Small>(column), 0});
                    last_cell[column] = static_cast<Small>(cells.size());
                    ++result.indptr[column + 1];
                }
                ++cells[last_cell[column] - 1].count;
            }
        }
        class_cells.push_back(cells.size());
    }
    for (std::size_t i = 1; i < result.indptr.size(); ++i) result.indptr[i] += result.indptr[i - 1];
    result.indices.resize(cells.size());
    result.data.resize(cells.size());
    std::vector<std::int64_t> next(result.indptr.begin(), result.indptr.end() - 1);
    for (std::size_t code = 0; code < n_classes; ++code) {
        for (std::size_t i = class_cells[code]; i < class_cells[code + 1]; ++i) {
            const auto at = static_cast<std::size_t>(next[cells[i].column]++);
            result.indices[at] = static_cast<std::int64_t>(code);
            result.data[at] = static_cast<std::int64_t>(cells[i].count);
        }
    }
    return result;
}

// Sums are in double and in order, whatever the type of the values, as numpy's twin has them.
template <typename Out>
void normalise_row(Out *row, std::size_t n, Norm norm, double sum) {
    if (sum == 0) return;
    const double scale = 1 / (norm == Norm::l2 ? std::sqrt(sum) : sum);
    if (norm == Norm::hellinger) {
        for (std::size_t i = 0; i < n; ++i) {
            const double share = row[i] * scale;
            row[i] = static_cast<Out>(std::copysign(std::sqrt(std::abs(share)), share));
        }
    } else {
        for (std::size_t i = 0; i < n; ++i) row[i] = static_cast<Out>(row[i] * scale);
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
                      double sum = 0;
                      for (std::size_t at = begin; at < end; ++at) {
                          const auto column = static_cast<std::uint64_t>(indices[at]);
                          if (column >= n_columns)
                              throw std::out_of_range("a column index is outside the weights");
                          out[at] = static_cast<Out>(static_cast<double>(data[at]) * weights[column]);
                          const double value = out[at];
                          sum += norm == Norm::l2 ? value * value : std::abs(value);
                      }
                      if (norm != Norm::none) normalise_row(out + begin, end - begin, norm, sum);
                  }
              });
}

}  // namespace troenpy
