// Python's view of the rows, the passes over them, and the ascent.

#include "bind.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "solver/ascent.hpp"
#include "solver/loss.hpp"
#include "solver/rows.hpp"

namespace troenpy::solver {

namespace {

using Matrix = nb::ndarray<const double, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Output = nb::ndarray<double, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Codes = Array<const std::int64_t>;
using Doubles = Array<const double>;

void require(bool is_right, const char *rule) {
    if (!is_right) throw std::invalid_argument(rule);
}

template <typename Value>
Tail<Value> checked_tail(Array<const Value> values, Array<const std::int32_t> indices, Array<const std::int64_t> starts,
                         std::size_t n_rows, std::size_t n_columns) {
    if (indices.size() == 0 && starts.size() == 0) {
        require(values.size() == n_rows * n_columns, "a dense tail has n_tail values for each row");
        return {values.data(), nullptr, nullptr, n_columns};
    }
    require(values.size() == indices.size(), "the tail's values and indices differ in length");
    require(checked_rows(starts, values.size()) == n_rows, "the tail has another number of rows");
    for (std::size_t i = 0; i < indices.size(); ++i)
        if (static_cast<std::uint32_t>(indices.data()[i]) >= n_columns)
            throw std::out_of_range("a column index is outside the tail");
    return {values.data(), indices.data(), starts.data(), n_columns};
}

// Data, indices and indptr of a part, its terms and blocks.
template <typename Value, typename Index>
using GivenPart = std::tuple<Array<const Value>, Array<const Index>, Array<const Index>, std::size_t, std::size_t>;

template <typename Value, typename Index>
void construct(Rows<Value> *place, const std::vector<GivenPart<Value, Index>> &given, Array<const Value> tail,
               Array<const std::int32_t> tail_indices, Array<const std::int64_t> tail_indptr, std::size_t n_rows,
               std::size_t n_tail) {
    require(!given.empty(), "rows need at least one part");
    std::vector<Part<Value, Index>> parts;
    for (const auto &[data, indices, indptr, n_terms, n_blocks] : given) {
        require(data.size() == indices.size(), "data and indices differ in length");
        require(n_blocks > 0, "n_blocks must be at least 1");
        require(checked_rows(indptr, data.size()) == n_rows, "a part has another number of rows");
        parts.push_back({data.data(), indices.data(), indptr.data(), n_terms, n_blocks});
    }
    const Tail<Value> checked = checked_tail(tail, tail_indices, tail_indptr, n_rows, n_tail);
    nb::gil_scoped_release release;
    new (place) Rows<Value>(parts, n_rows, checked);
}

template <typename Value>
Labels checked_labels(const Rows<Value> &rows, const Codes &codes, const Doubles &weights, std::size_t n_decisions) {
    require(n_decisions > 0, "n_decisions must be at least 1");
    require(codes.size() == rows.n_rows() && weights.size() == rows.n_rows(), "one code and one weight for each row");
    const std::uint64_t n_classes = n_decisions == 1 ? 2 : n_decisions;
    for (std::size_t row = 0; row < rows.n_rows(); ++row)
        require(static_cast<std::uint64_t>(codes.data()[row]) < n_classes, "a code is not that of a class");
    return {codes.data(), weights.data(), n_decisions};
}

template <typename Value, typename M>
void check_shape(const Rows<Value> &rows, const M &matrix, std::size_t n) {
    require(matrix.shape(0) == rows.n_columns() && matrix.shape(1) == n, "coefficients are columns x decisions");
}

template <typename Value, typename M>
void check_rows(const Rows<Value> &rows, const M &matrix, std::size_t n) {
    require(matrix.shape(0) == rows.n_rows() && matrix.shape(1) == n, "rows x decisions, one row for each of X");
}

template <typename Value>
double log_loss(const Rows<Value> &rows, Codes codes, Doubles weights, double scale, Matrix coef, Doubles intercept,
                Output p, unsigned n_threads) {
    const Labels labels = checked_labels(rows, codes, weights, intercept.size());
    check_shape(rows, coef, intercept.size());
    check_rows(rows, p, intercept.size());
    nb::gil_scoped_release release;
    return solver::log_loss(rows, labels, scale, coef.data(), intercept.data(), p.data(), n_threads);
}

template <typename Value>
void curve(const Rows<Value> &rows, Codes codes, Doubles weights, double scale, Matrix p, Matrix direction,
           Doubles intercept, Output out, unsigned n_threads) {
    const Labels labels = checked_labels(rows, codes, weights, intercept.size());
    check_shape(rows, direction, intercept.size());
    check_rows(rows, p, intercept.size());
    check_rows(rows, out, intercept.size());
    nb::gil_scoped_release release;
    solver::curve(rows, labels, scale, p.data(), direction.data(), intercept.data(), out.data(), n_threads);
}

template <typename Value>
void multiply(const Rows<Value> &rows, Matrix m, Output out, unsigned n_threads) {
    check_shape(rows, m, m.shape(1));
    check_rows(rows, out, m.shape(1));
    nb::gil_scoped_release release;
    solver::multiply(rows, m.data(), m.shape(1), out.data(), n_threads);
}

template <typename Value>
void combine(const Rows<Value> &rows, Matrix m, Output out, unsigned n_threads) {
    check_rows(rows, m, m.shape(1));
    check_shape(rows, out, m.shape(1));
    nb::gil_scoped_release release;
    solver::combine(rows, m.data(), m.shape(1), out.data(), n_threads);
}

template <typename Value>
void construct_ascent(Ascent<Value> *place, const Rows<Value> &rows, Codes codes, Doubles weights, double strength,
                      Doubles intercept, bool portable) {
    const Labels labels = checked_labels(rows, codes, weights, intercept.size());
    nb::gil_scoped_release release;
    new (place) Ascent<Value>(rows, labels, strength, intercept.data(), portable);
}

template <typename Any>
void read(const Any &ascent, Output coef, Array<double> intercept) {
    require(coef.shape(0) == ascent.n_decisions() && coef.shape(1) == ascent.n_columns() &&
                intercept.size() == ascent.n_decisions(),
            "coefficients are read as decisions x columns");
    nb::gil_scoped_release release;
    ascent.read(coef.data(), intercept.data());
}

template <typename Value>
void decide(Ascent<Value> &ascent, Codes rows, Output out) {
    require(out.shape(0) == rows.size() && out.shape(1) == ascent.n_decisions(), "one row of decisions for each row");
    for (std::size_t i = 0; i < rows.size(); ++i)
        require(static_cast<std::uint64_t>(rows.data()[i]) < ascent.n_rows(), "a row is not one of X");
    nb::gil_scoped_release release;
    ascent.decide(rows.data(), rows.size(), out.data());
}

template <typename Value>
void construct_passes(PassAscent<Value> *place, std::size_t n_columns, double strength, Doubles intercept,
                      bool portable) {
    require(intercept.size() > 0, "n_decisions must be at least 1");
    nb::gil_scoped_release release;
    new (place) PassAscent<Value>(n_columns, intercept.size(), strength, intercept.data(), portable);
}

template <typename Value>
void climb_batch(PassAscent<Value> &ascent, const Rows<Value> &rows, Codes codes, Doubles weights,
                 nb::ndarray<float, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu> logs) {
    const Labels labels = checked_labels(rows, codes, weights, ascent.n_decisions());
    require(rows.n_columns() == ascent.n_columns(), "a batch has another number of columns");
    require(logs.shape(0) == rows.n_rows() && logs.shape(1) == ascent.width(), "logs are rows x width");
    nb::gil_scoped_release release;
    ascent.climb(rows, labels, logs.data());
}

template <typename Value>
void decide_batch(PassAscent<Value> &ascent, const Rows<Value> &rows, Output out) {
    require(rows.n_columns() == ascent.n_columns(), "a batch has another number of columns");
    check_rows(rows, out, ascent.n_decisions());
    nb::gil_scoped_release release;
    ascent.decide(rows, out.data());
}

template <typename Value>
void bind(nb::module_ &module, const char *rows_name, const char *ascent_name, const char *passes_name) {
    nb::class_<Rows<Value>> rows(module, rows_name);
    const auto constructor = [&](auto function) {
        rows.def("__init__", function, nb::arg("parts").noconvert(), nb::arg("tail").noconvert(),
                 nb::arg("tail_indices").noconvert(), nb::arg("tail_indptr").noconvert(), nb::arg("n_rows"),
                 nb::arg("n_tail"), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(),
                 nb::keep_alive<1, 5>());  // the tail
    };
    constructor(&construct<Value, std::int32_t>);
    constructor(&construct<Value, std::int64_t>);
    rows.def("log_loss", &log_loss<Value>);
    rows.def("curve", &curve<Value>);
    rows.def("multiply", &multiply<Value>);
    rows.def("combine", &combine<Value>);
    nb::class_<Ascent<Value>>(module, ascent_name)
        .def("__init__", &construct_ascent<Value>, nb::arg("rows"), nb::arg("codes").noconvert(),
             nb::arg("weights").noconvert(), nb::arg("strength"), nb::arg("intercept").noconvert(),
             nb::arg("portable") = false, nb::keep_alive<1, 2>())  // the rows
        .def("change_strength", &Ascent<Value>::change_strength, nb::arg("strength"),
             nb::call_guard<nb::gil_scoped_release>())
        .def("climb", &Ascent<Value>::climb, nb::call_guard<nb::gil_scoped_release>())
        .def("gap", &Ascent<Value>::gap, nb::call_guard<nb::gil_scoped_release>())
        .def("decide", &decide<Value>, nb::arg("rows").noconvert(), nb::arg("out").noconvert())
        .def("read", &read<Ascent<Value>>);
    nb::class_<PassAscent<Value>>(module, passes_name)
        .def("__init__", &construct_passes<Value>, nb::arg("n_columns"), nb::arg("strength"),
             nb::arg("intercept").noconvert(), nb::arg("portable") = false)
        .def("climb", &climb_batch<Value>, nb::arg("rows"), nb::arg("codes").noconvert(),
             nb::arg("weights").noconvert(), nb::arg("logs").noconvert())
        .def("end_pass", &PassAscent<Value>::end_pass)
        .def("decide", &decide_batch<Value>, nb::arg("rows"), nb::arg("out").noconvert())
        .def("half_squares", &PassAscent<Value>::half_squares, nb::call_guard<nb::gil_scoped_release>())
        .def("read", &read<PassAscent<Value>>)
        .def_prop_ro("width", &PassAscent<Value>::width);
}

}  // namespace

void bind(nb::module_ &module) {
    bind<float>(module, "Rows32", "Ascent32", "PassAscent32");
    bind<double>(module, "Rows64", "Ascent64", "PassAscent64");
}

}  // namespace troenpy::solver
