// The inner loops of ascent.cpp, which includes this file once for each instruction set, with TROENPY_TARGET
// set to the attribute that chooses it. Sums are taken eight at a time in one order, so every set gives the
// same numbers.

#include "solver/vector_loops.hpp"

#include "solver/logistic_loops.hpp"
#include "solver/softmax_loops.hpp"

// Visits the rows order[first] to order[last]; what is read after them is asked for ahead.
template <typename Value>
TROENPY_TARGET void climb_rows(Visit<Value> &visit, const std::vector<std::uint32_t> &order, std::size_t first,
                               std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
        if (i + 2 * rows_ahead < order.size()) cpu::prefetch(visit.documents + order[i + 2 * rows_ahead]);
        if (i + rows_ahead < order.size()) {
            const Document &soon = visit.documents[order[i + rows_ahead]];
            visit.rows->fetch(soon.begin, soon.end);
            cpu::prefetch(visit.logs + order[i + rows_ahead] * visit.width);
        }
        const std::size_t row = order[i];
        if (!(visit.documents[row].weight > 0)) continue;
        if (visit.width == 1)
            climb_logistic(visit, row);
        else
            climb_softmax(visit, row);
        for (std::size_t k = 0; k < visit.n_decisions; ++k) visit.mean[k] += visit.intercept[k];
        ++visit.n_visits;
    }
}

template <typename Value>
TROENPY_TARGET void check_rows(const Visit<Value> &visit, std::size_t first, std::size_t last, Distance &out) {
    for (std::size_t row = first; row < last; ++row) {
        if (!(visit.documents[row].weight > 0)) continue;
        if (visit.width == 1)
            check_logistic(visit, row, out);
        else
            check_softmax(visit, row, out);
    }
}

template <typename Value>
TROENPY_TARGET void decide_row(const Visit<Value> &visit, std::size_t row, float *z) {
    if (visit.width == 1)
        *z = decide_one(visit, row);
    else
        decide(visit, row, z);
}
