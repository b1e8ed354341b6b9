// numpy arrays as the bindings take and give them.

#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <utility>
#include <vector>

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

}  // namespace troenpy
