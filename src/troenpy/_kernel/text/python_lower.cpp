#include "text/python_lower.hpp"

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace troenpy::text {

namespace {

PyObject *to_str(const Text &text) {
    const auto length = static_cast<Py_ssize_t>(text.length);
    switch (text.form) {
        case Form::utf8:
            return PyUnicode_DecodeUTF8(static_cast<const char *>(text.data), length, nullptr);
        case Form::ucs2:
            return PyUnicode_FromKindAndData(PyUnicode_2BYTE_KIND, text.data, length);
        case Form::ucs4:
            return PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, text.data, length);
        default:
            return PyUnicode_FromKindAndData(PyUnicode_1BYTE_KIND, text.data, length);
    }
}

}  // namespace

PythonLower::PythonLower(const Text &text) {
    nb::gil_scoped_acquire gil;
    const nb::object str = nb::steal(to_str(text));
    if (!str.is_valid()) throw nb::python_error();
    lowered_ = str.attr("lower")().release().ptr();
    text_ = text_of(lowered_);
}

PythonLower::~PythonLower() {
    nb::gil_scoped_acquire gil;
    Py_DECREF(lowered_);
}

Text text_of(PyObject *str) {
#if PY_VERSION_HEX < 0x030C0000
    if (PyUnicode_READY(str) != 0) throw nb::python_error();
#endif
    const auto length = static_cast<std::uint64_t>(PyUnicode_GET_LENGTH(str));
    const void *data = PyUnicode_DATA(str);
    if (PyUnicode_IS_ASCII(str)) return {data, length, Form::ascii};
    switch (PyUnicode_KIND(str)) {
        case PyUnicode_1BYTE_KIND:
            return {data, length, Form::latin1};
        case PyUnicode_2BYTE_KIND:
            return {data, length, Form::ucs2};
        default:
            return {data, length, Form::ucs4};
    }
}

}  // namespace troenpy::text
