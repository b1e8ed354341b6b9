// Calls Python's str.lower(), for the few documents that need it. May be called without the GIL.

#pragma once

#include <Python.h>

#include "text/text.hpp"

namespace troenpy::text {

class PythonLower {
public:
    explicit PythonLower(const Text &text);
    PythonLower(const PythonLower &) = delete;
    PythonLower &operator=(const PythonLower &) = delete;
    ~PythonLower();

    const Text &text() const { return text_; }

private:
    PyObject *lowered_;
    Text text_;
};

// A view of a str; the caller keeps it alive.
Text text_of(PyObject *str);

}  // namespace troenpy::text
