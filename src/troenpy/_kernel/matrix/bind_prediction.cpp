// Python bindings for what a prediction computes from the rows of documents: class profiles and decision values.

#include "bind.hpp"

#include <cstdint>
#include <stdexcept>

#include "arrays.hpp"
#include "matrix/decisions.hpp"
#include "matrix/profiles.hpp"

namespace troenpy::matrix {

namespace {

template <typename T>
using Table = nb::ndarray<T, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <typename Index, typename Count>
TermProfiles new_profiles(Array<const Index> indptr, Array<const Index> classes, Array<const Count> counts,
                          std::size_t n_classes, Array<const double> weights, Array<const double> totals) {
    const std::size_t n_columns = checked_rows(indptr, counts.size());
    if (classes.size() != counts.size() || weights.size() != n_columns || totals.size() != n_columns)
        throw std::invalid_argument("table, weights and totals do not fit each other");
    for (std::size_t cell = 0; cell < classes.size(); ++cell) {
        if (static_cast<std::uint64_t>(classes.data()[cell]) >= n_classes)
            throw std::out_of_range("a class of the table is outside the number of classes");
    }
    nb::gil_scoped_release release;
    return TermProfiles(
        ClassTable<Index, Count>{indptr.data(), classes.data(), counts.data(), totals.data(), n_columns, n_classes},
        weights.data());
}

template <typename Value, typename Index>
void write(const TermProfiles &terms, Array<const Value> data, Array<const Index> indices, Array<const Index> indptr,
           Array<const double> left_out, double smoothing, Table<double> out, Table<double> sums, unsigned n_threads) {
    if (data.size() != indices.size()) throw std::invalid_argument("data and indices differ in length");
    const std::size_t n_rows = checked_rows(indptr, data.size());
    if (left_out.size() != n_rows || out.shape(0) != n_rows || out.shape(1) != terms.n_classes() ||
        sums.shape(0) != n_rows || sums.shape(1) != 2)
        throw std::invalid_argument("rows, table and output do not fit each other");
    nb::gil_scoped_release release;
    write_profiles(Profiles<Value, Index>{data.data(), indices.data(), indptr.data(), n_rows, left_out.data(),
                                          smoothing, out.data(), sums.data()},
                   terms, n_threads);
}

template <typename Value, typename Index, typename Coefficient>
void decision_values(Array<const Value> data, Array<const Index> indices, Array<const Index> indptr, std::size_t first,
                     Table<const Coefficient> coef, Array<const double> intercept, Table<double> out,
                     unsigned n_threads) {
    if (data.size() != indices.size()) throw std::invalid_argument("data and indices differ in length");
    const std::size_t n_rows = checked_rows(indptr, data.size()), n_wanted = out.shape(0);
    if (first > n_rows || n_wanted > n_rows - first || coef.shape(1) != intercept.size() ||
        out.shape(1) != intercept.size())
        throw std::invalid_argument("rows, coefficients and output do not fit each other");
    nb::gil_scoped_release release;
    write_decisions(
        Decisions<Value, Index, Coefficient>{data.data(), indices.data(), indptr.data() + first, n_wanted, coef.data(),
                                             coef.shape(0), intercept.data(), intercept.size(), out.data()},
        n_threads);
}

template <typename Value, typename Index, typename Coefficient>
void bind_decisions(nb::module_ &module) {
    module.def("decision_values", &decision_values<Value, Index, Coefficient>, nb::arg("data").noconvert(),
               nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(), nb::arg("first"),
               nb::arg("coef").noconvert(), nb::arg("intercept").noconvert(), nb::arg("out").noconvert(),
               nb::arg("n_threads"));
}

template <typename Index, typename Count>
void bind_table(nb::class_<TermProfiles> &table) {
    table.def(nb::new_(&new_profiles<Index, Count>), nb::arg("indptr").noconvert(), nb::arg("classes").noconvert(),
              nb::arg("counts").noconvert(), nb::arg("n_classes"), nb::arg("weights").noconvert(),
              nb::arg("totals").noconvert());
}

template <typename Value, typename Index>
void bind_write(nb::class_<TermProfiles> &table) {
    table.def("write", &write<Value, Index>, nb::arg("data").noconvert(), nb::arg("indices").noconvert(),
              nb::arg("indptr").noconvert(), nb::arg("left_out").noconvert(), nb::arg("smoothing"),
              nb::arg("out").noconvert(), nb::arg("sums").noconvert(), nb::arg("n_threads"));
}

template <typename Index>
void bind_by_index(nb::module_ &module, nb::class_<TermProfiles> &table) {
    bind_table<Index, std::int64_t>(table);
    bind_table<Index, double>(table);
    bind_write<float, Index>(table);
    bind_write<double, Index>(table);
    bind_decisions<float, Index, float>(module);
    bind_decisions<float, Index, double>(module);
    bind_decisions<double, Index, float>(module);
    bind_decisions<double, Index, double>(module);
}

}  // namespace

void bind_scores(nb::module_ &module);

void bind_prediction(nb::module_ &module) {
    nb::class_<TermProfiles> table(module, "TermProfiles");
    bind_by_index<std::int32_t>(module, table);
    bind_by_index<std::int64_t>(module, table);
    bind_scores(module);
}

}  // namespace troenpy::matrix
