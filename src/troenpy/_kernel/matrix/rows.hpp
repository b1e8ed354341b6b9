// Weights and normalises the rows of a CSR matrix; also the minimum differences of dense rows.

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "parallel.hpp"

namespace troenpy::matrix {

enum class Norm { none, l1, l2, hellinger };

inline Norm norm_by_name(const std::string &name) {
    if (name == "none") return Norm::none;
    if (name == "l1") return Norm::l1;
    if (name == "l2") return Norm::l2;
    if (name == "hellinger") return Norm::hellinger;
    throw std::invalid_argument("norm must be 'l1', 'l2', 'hellinger' or 'none', got '" + name + "'");
}

// What a value adds to the sum of its row.
inline double part_of_norm(double value, Norm norm) { return norm == Norm::l2 ? value * value : std::abs(value); }

// Divides a row by its norm, from the sum of its parts.
template <typename Out>
void divide_row(Out *row, std::size_t n, Norm norm, double sum) {
    if (sum == 0 || norm == Norm::none) return;
    const double length = norm == Norm::l2 ? std::sqrt(sum) : sum;
    for (std::size_t i = 0; i < n; ++i) {
        const double share = row[i] / length;
        row[i] = static_cast<Out>(norm == Norm::hellinger ? std::copysign(std::sqrt(std::abs(share)), share) : share);
    }
}

// Sums are in double and in order, for any type of values.
template <typename Out>
void normalise_row(Out *row, std::size_t n, Norm norm) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += part_of_norm(static_cast<double>(row[i]), norm);
    divide_row(row, n, norm, sum);
}

// out[j] = data[j] * weights[indices[j]], then every row is divided by its norm; rows of zeros do not change. `out`
// may be `data`.
template <typename In, typename Index, typename Out>
void weigh_rows(const In *data, const Index *indices, const Index *indptr, std::size_t n_rows, const double *weights,
                std::size_t n_columns, Norm norm, Out *out, unsigned n_threads) {
    constexpr std::size_t rows_per_task = 1024;
    const std::size_t n_tasks = (n_rows + rows_per_task - 1) / rows_per_task;
    run_tasks(n_threads, n_tasks, [&](unsigned, std::size_t task, Watch &) {
        const std::size_t last = std::min(n_rows, (task + 1) * rows_per_task);
        for (std::size_t row = task * rows_per_task; row < last; ++row) {
            const auto begin = static_cast<std::size_t>(indptr[row]);
            const auto end = static_cast<std::size_t>(indptr[row + 1]);
            double sum = 0;  // in the same loop: each addition waits for the one before
            for (std::size_t at = begin; at < end; ++at) {
                const auto column = static_cast<std::uint64_t>(indices[at]);
                if (column >= n_columns) throw std::out_of_range("a column index is outside the weights");
                out[at] = static_cast<Out>(static_cast<double>(data[at]) * weights[column]);
                sum += part_of_norm(static_cast<double>(out[at]), norm);
            }
            divide_row(out + begin, end - begin, norm, sum);
        }
    });
}

// out[i] = min over j of table[i][j] - less[j], for a dense table of at least one column, without NaN.
inline void write_least_differences(const double *table, std::size_t n_rows, std::size_t n_columns, const double *less,
                                    double *out) {
    constexpr std::size_t n_lanes = 8;  // independent minima, so that compilers can vectorise
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

}  // namespace troenpy::matrix
