// Python bindings for BlockGram.

#include "bind.hpp"

#include <cstdint>
#include <stdexcept>

#include "arrays.hpp"
#include "gram/gram.hpp"

namespace troenpy::gram {

namespace {

using Vectors = nb::ndarray<const double, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Output = nb::ndarray<double, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <typename Value, typename Index>
void construct(BlockGram<Value> *place, Array<const Value> data, Array<const Index> indices, Array<const Index> indptr,
               std::size_t n_terms, std::size_t n_blocks, bool portable) {
    if (data.size() != indices.size()) throw std::invalid_argument("data and indices differ in length");
    if (n_blocks == 0) throw std::invalid_argument("n_blocks must be at least 1");
    const std::size_t n_rows = checked_rows(indptr, data.size());
    nb::gil_scoped_release release;
    new (place) BlockGram<Value>(data.data(), indices.data(), indptr.data(), n_rows, n_terms, n_blocks, portable);
}

template <typename Value>
void multiply(BlockGram<Value> &gram, Vectors q, Output out, unsigned n_threads) {
    if (q.shape(0) != gram.n_rows() || out.shape(0) != q.shape(0) || out.shape(1) != q.shape(1))
        throw std::invalid_argument("q and out must have one row for each row of the matrix");
    if (q.shape(1) == 0) return;
    nb::gil_scoped_release release;
    gram.multiply(q.data(), q.shape(1), out.data(), n_threads);
}

template <typename Value>
void combine(const BlockGram<Value> &gram, Vectors q, Output out, unsigned n_threads) {
    if (q.shape(0) != gram.n_rows() || out.shape(0) != q.shape(1) || out.shape(1) != gram.n_terms() * gram.n_blocks())
        throw std::invalid_argument("q must have one row for each row of the matrix, out one column for each column");
    nb::gil_scoped_release release;
    gram.combine(q.data(), q.shape(1), out.data(), n_threads);
}

template <typename Value>
void bind_gram(nb::module_ &module, const char *name) {
    using Gram = BlockGram<Value>;
    nb::class_<Gram> type(module, name);
    const auto arguments = [&](auto constructor) {
        type.def("__init__", constructor, nb::arg("data").noconvert(), nb::arg("indices").noconvert(),
                 nb::arg("indptr").noconvert(), nb::arg("n_terms"), nb::arg("n_blocks"), nb::arg("portable") = false);
    };
    arguments(&construct<Value, std::int32_t>);
    arguments(&construct<Value, std::int64_t>);
    type.def("multiply", &multiply<Value>, nb::arg("q").noconvert(), nb::arg("out").noconvert(), nb::arg("n_threads"));
    type.def("combine", &combine<Value>, nb::arg("q").noconvert(), nb::arg("out").noconvert(), nb::arg("n_threads"));
}

}  // namespace

void bind(nb::module_ &module) {
    bind_gram<float>(module, "BlockGram32");
    bind_gram<double>(module, "BlockGram64");
}

}  // namespace troenpy::gram
