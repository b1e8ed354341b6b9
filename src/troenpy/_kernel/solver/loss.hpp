// Passes over all rows in double precision: the log loss, its second derivative, and products with X and X'.
//
// Coefficients are columns x decisions, as numpy has them: the classes of a column lie side by side. One
// decision is the log odds of the second of two classes; more are softmax. Values of X count times `scale`.
// Results are the same for any number of threads.

#pragma once

#include <cstddef>
#include <cstdint>

#include "solver/rows.hpp"

namespace troenpy::solver {

struct Labels {
    const std::int64_t *codes;
    const double *weights;
    std::size_t n_decisions;
};

// The weighted sum of losses; writes probabilities, rows x decisions.
template <typename Value>
double log_loss(const Rows<Value> &rows, const Labels &labels, double scale, const double *coef,
                const double *intercept, double *p, unsigned n_threads);

// The second derivative of the loss by decisions, at the probabilities p, times the decisions of a direction.
template <typename Value>
void curve(const Rows<Value> &rows, const Labels &labels, double scale, const double *p, const double *direction,
           const double *intercept_direction, double *out, unsigned n_threads);

// out = X m, of n_rows x width, and out = X' m, of n_columns x width.
template <typename Value>
void multiply(const Rows<Value> &rows, const double *m, std::size_t width, double *out, unsigned n_threads);
template <typename Value>
void combine(const Rows<Value> &rows, const double *m, std::size_t width, double *out, unsigned n_threads);

}  // namespace troenpy::solver
