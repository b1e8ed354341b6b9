// Decision values of a linear model: the rows of a CSR matrix times coefficients, summed in double and in order.

#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "cpu.hpp"
#include "parallel.hpp"

namespace troenpy::matrix {

// out[row] = sum over the row's values of value x coef[column], plus intercept.
template <typename Value, typename Index, typename Coefficient>
struct Decisions {
    const Value *data;
    const Index *indices, *indptr;
    std::size_t n_rows;
    const Coefficient *coef;  // [column][decision]
    std::size_t n_columns;
    const double *intercept;
    std::size_t n_decisions;
    double *out;  // [row][decision]
};

// sums[i] += value x coef[i]
void add_scaled(double value, const float *coef, std::size_t n, double *sums);
void add_scaled(double value, const double *coef, std::size_t n, double *sums);

// Adds the products of the values [begin, end) to `sums`.
template <typename Value, typename Index, typename Coefficient>
void add_products(const Decisions<Value, Index, Coefficient> &decisions, std::size_t begin, std::size_t end,
                  double *sums) {
    constexpr std::size_t ahead = 8, per_line = 64 / sizeof(Coefficient);
    const std::size_t n = decisions.n_decisions;
    for (std::size_t at = begin; at < end; ++at) {
        const auto column = static_cast<std::uint64_t>(decisions.indices[at]);
        if (column >= decisions.n_columns) throw std::out_of_range("a column index is outside the coefficients");
        if (at + ahead < end) {  // the first cache lines; the processor foresees the others
            const Coefficient *next = decisions.coef + static_cast<std::size_t>(decisions.indices[at + ahead]) * n;
            cpu::prefetch(next);
            cpu::prefetch(next + per_line);
        }
        add_scaled(static_cast<double>(decisions.data[at]), decisions.coef + column * n, n, sums);
    }
}

template <typename Value, typename Index, typename Coefficient>
void write_decision(const Decisions<Value, Index, Coefficient> &decisions, std::size_t row) {
    double *sums = decisions.out + row * decisions.n_decisions;
    std::fill_n(sums, decisions.n_decisions, 0.0);
    add_products(decisions, static_cast<std::size_t>(decisions.indptr[row]),
                 static_cast<std::size_t>(decisions.indptr[row + 1]), sums);
    for (std::size_t i = 0; i < decisions.n_decisions; ++i) sums[i] += decisions.intercept[i];
}

template <typename Value, typename Index, typename Coefficient>
void write_decisions(const Decisions<Value, Index, Coefficient> &decisions, unsigned n_threads) {
    constexpr std::size_t rows_per_task = 256;
    const std::size_t n_tasks = (decisions.n_rows + rows_per_task - 1) / rows_per_task;
    run_tasks(n_threads, n_tasks, [&](unsigned, std::size_t task, Watch &watch) {
        watch.check();
        const std::size_t last = std::min(decisions.n_rows, (task + 1) * rows_per_task);
        for (std::size_t row = task * rows_per_task; row < last; ++row) write_decision(decisions, row);
    });
}

}  // namespace troenpy::matrix
