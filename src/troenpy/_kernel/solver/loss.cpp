#include "solver/loss.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "parallel.hpp"

namespace troenpy::solver {

namespace {

constexpr std::size_t rows_per_task = 64;
constexpr std::size_t classes_per_task = 8;

// Calls visit(row) for all rows, on several threads.
template <typename Visit>
void for_each_row(std::size_t n_rows, unsigned n_threads, Visit &&visit) {
    const std::size_t n_tasks = (n_rows + rows_per_task - 1) / rows_per_task;
    run_tasks(n_threads, n_tasks, [&](unsigned, std::size_t task, Watch &) {
        const std::size_t last = std::min((task + 1) * rows_per_task, n_rows);
        for (std::size_t row = task * rows_per_task; row < last; ++row) visit(row);
    });
}

template <typename Value>
void add_decisions(const Rows<Value> &rows, std::size_t row, double scale, const double *coef, std::size_t n,
                   double *out) {
    rows.for_each(row, [&](std::size_t column, Value value) {
        const double x = scale * static_cast<double>(value);
        const double *w = coef + column * n;
        for (std::size_t k = 0; k < n; ++k) out[k] += x * w[k];
    });
}

// Makes probabilities of decisions; returns the log loss of the class.
double probabilities(double *z, std::size_t n, std::size_t code) {
    if (n == 1) {
        const double d = z[0], shrunk = std::exp(-std::abs(d));
        z[0] = (d > 0 ? 1.0 : shrunk) / (1 + shrunk);
        return std::log1p(shrunk) + std::max(d, 0.0) - (code == 1 ? d : 0.0);
    }
    const double top = *std::max_element(z, z + n), own = z[code];
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) {
        z[k] = std::exp(z[k] - top);
        sum += z[k];
    }
    for (std::size_t k = 0; k < n; ++k) z[k] /= sum;
    return std::log(sum) + top - own;
}

}  // namespace

template <typename Value>
double log_loss(const Rows<Value> &rows, const Labels &labels, double scale, const double *coef,
                const double *intercept, double *p, unsigned n_threads) {
    const std::size_t n = labels.n_decisions;
    std::vector<double> losses(rows.n_rows());
    for_each_row(rows.n_rows(), n_threads, [&](std::size_t row) {
        double *here = p + row * n;
        std::copy_n(intercept, n, here);
        add_decisions(rows, row, scale, coef, n, here);
        losses[row] = labels.weights[row] * probabilities(here, n, static_cast<std::size_t>(labels.codes[row]));
    });
    return std::accumulate(losses.begin(), losses.end(), 0.0);
}

template <typename Value>
void curve(const Rows<Value> &rows, const Labels &labels, double scale, const double *p, const double *direction,
           const double *intercept_direction, double *out, unsigned n_threads) {
    const std::size_t n = labels.n_decisions;
    for_each_row(rows.n_rows(), n_threads, [&](std::size_t row) {
        const double *here = p + row * n, weight = labels.weights[row];
        double *change = out + row * n;
        std::copy_n(intercept_direction, n, change);
        add_decisions(rows, row, scale, direction, n, change);
        double mean = 0;
        for (std::size_t k = 0; k < n; ++k) mean += here[k] * change[k];
        for (std::size_t k = 0; k < n; ++k) change[k] = weight * here[k] * (change[k] - mean);
    });
}

template <typename Value>
void multiply(const Rows<Value> &rows, const double *m, std::size_t width, double *out, unsigned n_threads) {
    std::fill_n(out, rows.n_rows() * width, 0.0);
    for_each_row(rows.n_rows(), n_threads,
                 [&](std::size_t row) { add_decisions(rows, row, 1.0, m, width, out + row * width); });
}

// Every thread reads all rows, for some of the columns of m: sums do not depend on their number.
template <typename Value>
void combine(const Rows<Value> &rows, const double *m, std::size_t width, double *out, unsigned n_threads) {
    std::fill_n(out, rows.n_columns() * width, 0.0);
    const std::size_t n_tasks = (width + classes_per_task - 1) / classes_per_task;
    run_tasks(n_threads, n_tasks, [&](unsigned, std::size_t task, Watch &watch) {
        const std::size_t first = task * classes_per_task, last = std::min(first + classes_per_task, width);
        for (std::size_t row = 0; row < rows.n_rows(); ++row) {
            if (row % rows_per_task == 0) watch.check();
            const double *from = m + row * width;
            rows.for_each(row, [&](std::size_t column, Value value) {
                const auto x = static_cast<double>(value);
                double *to = out + column * width;
                for (std::size_t k = first; k < last; ++k) to[k] += x * from[k];
            });
        }
    });
}

#define TROENPY_INSTANTIATE(Value)                                                                                   \
    template double log_loss(const Rows<Value> &, const Labels &, double, const double *, const double *, double *,  \
                             unsigned);                                                                              \
    template void curve(const Rows<Value> &, const Labels &, double, const double *, const double *, const double *, \
                        double *, unsigned);                                                                         \
    template void multiply(const Rows<Value> &, const double *, std::size_t, double *, unsigned);                    \
    template void combine(const Rows<Value> &, const double *, std::size_t, double *, unsigned);
TROENPY_INSTANTIATE(float)
TROENPY_INSTANTIATE(double)
#undef TROENPY_INSTANTIATE

}  // namespace troenpy::solver
