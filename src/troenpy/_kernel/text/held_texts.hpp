// The documents of a Python list, kept alive without the GIL.

#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

#include "text/python_lower.hpp"
#include "text/text.hpp"

namespace troenpy::text {

struct HeldTexts {
    // The documents are held by a tuple, since the caller's list may change.
    explicit HeldTexts(nanobind::list documents) : held(nanobind::steal(PySequence_Tuple(documents.ptr()))) {
        if (!held.is_valid()) throw nanobind::python_error();
        const auto n = static_cast<std::size_t>(PyTuple_GET_SIZE(held.ptr()));
        texts.reserve(n);
        for (std::size_t i = 0; i < n; ++i) {
            PyObject *document = PyTuple_GET_ITEM(held.ptr(), static_cast<Py_ssize_t>(i));
            if (!PyUnicode_Check(document)) throw nanobind::type_error("documents must be str");
            texts.push_back(text_of(document));
            n_bytes += byte_length(texts.back());
        }
    }

    nanobind::object held;
    std::vector<Text> texts;
    std::uint64_t n_bytes = 0;
};

}  // namespace troenpy::text
