// Python's view of the loops over sparse matrices.

#include "bind.hpp"

#include <nanobind/stl/string.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "matrix.hpp"

namespace troenpy {

namespace {

// data[j] *= weights[indices[j]] for every stored value of a CSR matrix, in place and without a temporary of
// its size. The indices are checked: a bad one must not read foreign memory.
template <typename Value, typename Index>
void scale_columns(Array<Value> data, Array<const Index> indices, Array<const double> weights) {
    if (data.size() != indices.size()) throw std::invalid_argument("data and indices differ in length");
    Value *values = data.data();
    const Index *columns = indices.data();
    const double *by_column = weights.data();
    const auto n_columns = static_cast<std::uint64_t>(weights.size());
    const std::size_t n = data.size();
    nb::gil_scoped_release release;
    for (std::size_t j = 0; j < n; ++j) {
        const auto column = static_cast<std::uint64_t>(columns[j]);
        if (column >= n_columns) throw std::out_of_range("a column index is outside the weights");
        values[j] = static_cast<Value>(values[j] * by_column[column]);
    }
}

Norm norm_by_name(const std::string &name) {
    if (name == "none") return Norm::none;
    if (name == "l1") return Norm::l1;
    if (name == "l2") return Norm::l2;
    if (name == "hellinger") return Norm::hellinger;
    throw std::invalid_argument("norm must be 'l1', 'l2', 'hellinger' or 'none', got '" + name + "'");
}

template <typename Index>
std::size_t checked_rows(const Array<const Index> &indptr, std::size_t n_stored) {
    const std::size_t n_rows = indptr.size() == 0 ? 0 : indptr.size() - 1;
    bool ascends = indptr.size() > 0 && indptr.data()[0] >= 0;
    for (std::size_t row = 0; row < n_rows; ++row) ascends &= indptr.data()[row] <= indptr.data()[row + 1];
    if (!ascends || static_cast<std::uint64_t>(indptr.data()[n_rows]) > n_stored) {
        throw std::invalid_argument("indptr does not ascend from 0 to the number of stored values");
    }
    return n_rows;
}

template <typename In, typename Index, typename Out>
void weigh_rows(Array<const In> data, Array<const Index> indices, Array<const Index> indptr,
                Array<const double> weights, const std::string &norm, Array<Out> out, unsigned n_threads) {
    if (data.size() != indices.size() || data.size() != out.size())
        throw std::invalid_argument("data, indices and out differ in length");
    const std::size_t n_rows = checked_rows(indptr, data.size());
    const Norm by = norm_by_name(norm);
    nb::gil_scoped_release release;
    troenpy::weigh_rows(data.data(), indices.data(), indptr.data(), n_rows, weights.data(), weights.size(),
                        by, out.data(), n_threads);
}

constexpr std::uint64_t no_cell = 0xFFFFFFFF;

template <typename Index>
nb::tuple class_document_counts(Array<const Index> indptr, Array<const Index> indices,
                                Array<const std::int64_t> codes, std::int64_t n_classes,
                                std::int64_t n_columns) {
    const std::size_t n_rows = checked_rows(indptr, indices.size());
    if (codes.size() != n_rows) throw std::invalid_argument("codes and rows differ in number");
    if (n_classes < 0 || n_columns < 0)
        throw std::invalid_argument("n_classes and n_columns must not be negative");
    ClassCounts counts;
    {
        nb::gil_scoped_release release;
        const bool is_small = indices.size() < no_cell && static_cast<std::uint64_t>(n_columns) < no_cell;
        const auto count = is_small ? troenpy::class_document_counts<Index, std::uint32_t>
                                    : troenpy::class_document_counts<Index, std::uint64_t>;
        counts = count(indptr.data(), n_rows, indices.data(), codes.data(),
                       static_cast<std::size_t>(n_classes), static_cast<std::size_t>(n_columns));
    }
    return nb::make_tuple(to_numpy(std::move(counts.indptr)), to_numpy(std::move(counts.indices)),
                          to_numpy(std::move(counts.data)));
}

template <typename Value, typename Index>
void bind_scale_columns(nb::module_ &module) {
    module.def("scale_columns", &scale_columns<Value, Index>, nb::arg("data").noconvert(),
               nb::arg("indices").noconvert(), nb::arg("weights").noconvert());
}

template <typename In, typename Index, typename Out>
void bind_weigh_rows(nb::module_ &module) {
    module.def("weigh_rows", &weigh_rows<In, Index, Out>, nb::arg("data").noconvert(),
               nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(), nb::arg("weights").noconvert(),
               nb::arg("norm"), nb::arg("out").noconvert(), nb::arg("n_threads"));
}

template <typename In, typename Index>
void bind_weigh_rows(nb::module_ &module) {
    bind_weigh_rows<In, Index, float>(module);
    bind_weigh_rows<In, Index, double>(module);
}

template <typename Index>
void bind_by_index(nb::module_ &module) {
    bind_scale_columns<double, Index>(module);
    bind_scale_columns<float, Index>(module);
    bind_weigh_rows<double, Index>(module);
    bind_weigh_rows<float, Index>(module);
    bind_weigh_rows<std::int64_t, Index>(module);
    bind_weigh_rows<std::int32_t, Index>(module);
    module.def("class_document_counts", &class_document_counts<Index>, nb::arg("indptr").noconvert(),
               nb::arg("indices").noconvert(), nb::arg("codes").noconvert(), nb::arg("n_classes"),
               nb::arg("n_columns"));
}

}  // namespace

void bind_matrix(nb::module_ &module) {
    bind_by_index<std::int32_t>(module);
    bind_by_index<std::int64_t>(module);
}

}  // namespace troenpy
