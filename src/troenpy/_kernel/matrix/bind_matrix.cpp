// Python bindings for the loops over sparse matrices.

#include "bind.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "matrix/class_counts.hpp"
#include "matrix/rows.hpp"
#include "matrix/stack.hpp"
#include "matrix/weights.hpp"
#include "storage.hpp"

namespace troenpy::matrix {

namespace {

template <typename In, typename Index, typename Out>
void weigh_rows(Array<const In> data, Array<const Index> indices, Array<const Index> indptr,
                Array<const double> weights, const std::string &norm, Array<Out> out, unsigned n_threads) {
    if (data.size() != indices.size() || data.size() != out.size())
        throw std::invalid_argument("data, indices and out differ in length");
    const std::size_t n_rows = checked_rows(indptr, data.size());
    const Norm by = norm_by_name(norm);
    nb::gil_scoped_release release;
    matrix::weigh_rows(data.data(), indices.data(), indptr.data(), n_rows, weights.data(), weights.size(), by,
                       out.data(), n_threads);
}

template <typename Index>
nb::tuple class_document_counts(Array<const Index> indptr, Array<const Index> indices, Array<const std::int64_t> codes,
                                std::int64_t n_classes, std::int64_t n_columns, unsigned n_threads) {
    const std::size_t n_rows = checked_rows(indptr, indices.size());
    if (codes.size() != n_rows) throw std::invalid_argument("codes and rows differ in number");
    if (n_classes < 0 || n_columns < 0) throw std::invalid_argument("n_classes and n_columns must not be negative");
    if (n_threads < 1) throw std::invalid_argument("n_threads must be at least 1");
    ClassCounts<Index> counts;
    {
        nb::gil_scoped_release release;
        counts = matrix::class_document_counts(
            LabelledRows<Index>{indptr.data(), indices.data(), codes.data(), n_rows, n_classes, n_columns}, n_threads);
    }
    const std::size_t n_cells = counts.n_cells();
    return nb::make_tuple(to_numpy(std::move(counts.indptr)), to_numpy(std::move(counts.classes), n_cells),
                          to_numpy(std::move(counts.counts), n_cells),
                          to_numpy(std::move(counts.totals), static_cast<std::size_t>(n_columns)));
}

Array<double> add_one_troenpy(Array<const std::int64_t> starts, Array<const double> counts, double smoothing) {
    const std::size_t n_columns = checked_rows(starts, counts.size());
    Buffer<double> values;
    values.reserve(n_columns);
    {
        nb::gil_scoped_release release;
        write_add_one_troenpy(starts.data(), n_columns, counts.data(), smoothing, values.data());
    }
    return to_numpy(std::move(values), n_columns);
}

Array<double> two_sided_troenpy(Array<const std::int64_t> starts, Array<const std::int64_t> classes,
                                Array<const double> counts, Array<const double> sizes, double smoothing) {
    const std::size_t n_columns = checked_rows(starts, counts.size());
    if (classes.size() != counts.size()) throw std::invalid_argument("classes and counts differ in length");
    for (std::size_t at = 0; at < classes.size(); ++at) {
        if (static_cast<std::uint64_t>(classes.data()[at]) >= sizes.size())
            throw std::out_of_range("a class is outside the sizes");
    }
    Buffer<double> values;
    values.reserve(n_columns);
    {
        nb::gil_scoped_release release;
        TwoSided(sizes.data(), sizes.size(), smoothing)
            .write(starts.data(), n_columns, classes.data(), counts.data(), values.data());
    }
    return to_numpy(std::move(values), n_columns);
}

using Dense = nb::ndarray<const double, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Array<double> least_differences(Dense table, Array<const double> less) {
    if (table.shape(1) != less.size() || less.size() == 0)
        throw std::invalid_argument("the table must have a column for each number, and at least one");
    const std::size_t n_rows = table.shape(0);
    Buffer<double> least;
    least.reserve(n_rows);
    {
        nb::gil_scoped_release release;
        write_least_differences(table.data(), n_rows, less.size(), less.data(), least.data());
    }
    return to_numpy(std::move(least), n_rows);
}

using Weights = nb::ndarray<const double, nb::numpy, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

template <typename Value>
using Tail = nb::ndarray<const Value, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <typename Value, typename Index>
void stack_blocks(Array<const Value> counts, Array<const Index> indices, Array<const Index> indptr, Weights weights,
                  Array<const std::int64_t> sets, const std::vector<std::pair<std::string, std::string>> &blocks,
                  Tail<Value> tail, Array<Value> out, Array<Index> out_indices, unsigned n_threads) {
    const std::size_t n_rows = checked_rows(indptr, counts.size());
    if (n_threads < 1) throw std::invalid_argument("n_threads must be at least 1");
    if (counts.size() != indices.size() || sets.size() != n_rows || tail.shape(0) != n_rows ||
        weights.shape(1) != blocks.size()) {
        throw std::invalid_argument("counts, sets, weights and blocks do not fit each other");
    }
    const auto n_values = static_cast<std::size_t>(indptr.data()[n_rows] - indptr.data()[0]);
    const std::size_t n_needed = n_values * blocks.size() + tail.size();
    if (out.size() < n_needed || out_indices.size() < n_needed) {
        throw std::invalid_argument("the output is too small for the blocks");
    }
    std::vector<Block> parsed = blocks_by_name(blocks);
    nb::gil_scoped_release release;
    matrix::stack_blocks(Stack<Value, Index>{counts.data(), indices.data(), indptr.data(), n_rows, weights.data(),
                                             weights.shape(0), weights.shape(2), sets.data(), std::move(parsed),
                                             tail.data(), tail.shape(1), out.data(), out_indices.data()},
                         n_threads);
}

template <typename Value, typename Index>
void bind_stack_blocks(nb::module_ &module) {
    module.def("stack_blocks", &stack_blocks<Value, Index>, nb::arg("counts").noconvert(),
               nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(), nb::arg("weights").noconvert(),
               nb::arg("sets").noconvert(), nb::arg("blocks"), nb::arg("tail").noconvert(), nb::arg("out").noconvert(),
               nb::arg("out_indices").noconvert(), nb::arg("n_threads"));
}

template <typename In, typename Index, typename Out>
void bind_weigh_rows(nb::module_ &module) {
    module.def("weigh_rows", &weigh_rows<In, Index, Out>, nb::arg("data").noconvert(), nb::arg("indices").noconvert(),
               nb::arg("indptr").noconvert(), nb::arg("weights").noconvert(), nb::arg("norm"),
               nb::arg("out").noconvert(), nb::arg("n_threads"));
}

template <typename In, typename Index>
void bind_weigh_rows(nb::module_ &module) {
    bind_weigh_rows<In, Index, float>(module);
    bind_weigh_rows<In, Index, double>(module);
}

template <typename Index>
void bind_by_index(nb::module_ &module) {
    bind_weigh_rows<double, Index>(module);
    bind_weigh_rows<float, Index>(module);
    bind_weigh_rows<std::int64_t, Index>(module);
    bind_weigh_rows<std::int32_t, Index>(module);
    bind_stack_blocks<double, Index>(module);
    bind_stack_blocks<float, Index>(module);
    module.def("class_document_counts", &class_document_counts<Index>, nb::arg("indptr").noconvert(),
               nb::arg("indices").noconvert(), nb::arg("codes").noconvert(), nb::arg("n_classes"), nb::arg("n_columns"),
               nb::arg("n_threads"));
}

}  // namespace

void bind_prediction(nb::module_ &module);

void bind(nb::module_ &module) {
    module.def("return_free_memory", &return_free_memory, nb::call_guard<nb::gil_scoped_release>());
    module.def("add_one_troenpy", &add_one_troenpy, nb::arg("starts").noconvert(), nb::arg("counts").noconvert(),
               nb::arg("smoothing"));
    module.def("two_sided_troenpy", &two_sided_troenpy, nb::arg("starts").noconvert(), nb::arg("classes").noconvert(),
               nb::arg("counts").noconvert(), nb::arg("sizes").noconvert(), nb::arg("smoothing"));
    module.def("least_differences", &least_differences, nb::arg("table").noconvert(), nb::arg("less").noconvert());
    bind_by_index<std::int32_t>(module);
    bind_by_index<std::int64_t>(module);
    bind_prediction(module);
}

}  // namespace troenpy::matrix
