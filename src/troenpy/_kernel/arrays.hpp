// numpy arrays as arguments and results of the bindings.

#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "storage.hpp"

namespace troenpy {

namespace nb = nanobind;

template <typename T>
using Array = nb::ndarray<T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A numpy array that owns the vector.
template <typename T>
Array<T> to_numpy(std::vector<T> values) {
    auto *owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void *pointer) noexcept { delete static_cast<std::vector<T> *>(pointer); });
    return Array<T>(owned->data(), {owned->size()}, owner);
}

// A numpy array that owns the first n values of the buffer.
template <typename T>
Array<T> to_numpy(Buffer<T> values, std::size_t n) {
    values.shrink_to(n);
    auto *owned = new Buffer<T>(std::move(values));
    nb::capsule owner(owned, [](void *pointer) noexcept { delete static_cast<Buffer<T> *>(pointer); });
    return Array<T>(owned->data(), {n}, owner);
}

// Checks the indptr of a CSR matrix and returns the number of rows.
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

}  // namespace troenpy
