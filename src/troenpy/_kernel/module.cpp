// troenpy._kernel._native: the compiled loops, as functions on numpy arrays.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <stdexcept>

namespace nb = nanobind;

namespace {

template <typename T>
using Array = nb::ndarray<T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

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

template <typename Value, typename Index>
void bind_scale_columns(nb::module_ &module) {
    module.def("scale_columns", &scale_columns<Value, Index>, nb::arg("data").noconvert(),
               nb::arg("indices").noconvert(), nb::arg("weights").noconvert());
}

}  // namespace

NB_MODULE(_native, module) {
    bind_scale_columns<double, std::int32_t>(module);
    bind_scale_columns<double, std::int64_t>(module);
    bind_scale_columns<float, std::int32_t>(module);
    bind_scale_columns<float, std::int64_t>(module);
}
