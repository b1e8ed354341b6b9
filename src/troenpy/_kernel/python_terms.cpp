#include "python_terms.hpp"

#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace nb = nanobind;

namespace troenpy {

namespace {

void check_signals(std::uint64_t step) {
    if (step % (1 << 16) == 0 && PyErr_CheckSignals() != 0) throw nb::python_error();
}

nb::object to_str(std::string_view text) {
    const auto length = static_cast<Py_ssize_t>(text.size());
    bool is_ascii = true;
    for (const char c : text) is_ascii &= static_cast<signed char>(c) >= 0;
    PyObject *str =
        is_ascii ? PyUnicode_New(length, 127) : PyUnicode_DecodeUTF8(text.data(), length, "surrogatepass");
    if (str == nullptr) throw nb::python_error();
    if (is_ascii && length > 0) std::memcpy(PyUnicode_DATA(str), text.data(), text.size());
    return nb::steal(str);
}

std::uint32_t checked_column(PyObject *value, std::size_t n_columns) {
    const Py_ssize_t column = PyNumber_AsSsize_t(value, PyExc_OverflowError);
    if (column == -1 && PyErr_Occurred()) throw nb::python_error();
    if (column < 0 || static_cast<std::size_t>(column) >= n_columns) {
        throw std::invalid_argument("vocabulary_ gives column " + std::to_string(column) + ", but has only " +
                                    std::to_string(n_columns) + " terms");
    }
    return static_cast<std::uint32_t>(column);
}

}  // namespace

nb::dict make_vocabulary(const TermCounts &counts) {
    nb::dict vocabulary;
    std::string text;
    const std::vector<std::uint32_t> &columns = counts.columns();
    for (std::size_t term = 0; term < columns.size(); ++term) {
        check_signals(term);
        if (columns[term] == no_column) continue;
        counts.vocabulary().spell(term, text);
        const nb::object str = to_str(text);
        const nb::object column = nb::steal(PyLong_FromUnsignedLong(columns[term]));
        if (!column.is_valid() || PyDict_SetItem(vocabulary.ptr(), str.ptr(), column.ptr()) != 0)
            throw nb::python_error();
    }
    return vocabulary;
}

void match_vocabulary(TermCounts &counts, const nb::dict &vocabulary) {
    const auto n_columns = static_cast<std::size_t>(PyDict_Size(vocabulary.ptr()));
    if (n_columns >= no_column) throw std::overflow_error("more than 2**32 - 2 terms in the vocabulary");
    std::vector<bool> taken(n_columns);
    bool shared = false;
    std::vector<std::uint32_t> columns(counts.vocabulary().size(), no_column);
    std::string text;
    for (std::size_t term = 0; term < columns.size(); ++term) {
        check_signals(term);
        counts.vocabulary().spell(term, text);
        const nb::object str = to_str(text);
        PyObject *column = PyDict_GetItemWithError(vocabulary.ptr(), str.ptr());
        if (column == nullptr) {
            if (PyErr_Occurred()) throw nb::python_error();
            continue;
        }
        columns[term] = checked_column(column, n_columns);
        shared |= taken[columns[term]];
        taken[columns[term]] = true;
    }
    counts.set_columns(std::move(columns), n_columns, shared);
}

nb::object keys_by_column(const nb::dict &vocabulary) {
    const auto n = static_cast<std::size_t>(PyDict_Size(vocabulary.ptr()));
    std::vector<PyObject *> keys(n, nullptr);
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(vocabulary.ptr(), &at, &key, &value);) {
        if (!PyLong_CheckExact(value)) return nb::none();
        const std::size_t column = PyLong_AsSize_t(value);
        if (PyErr_Occurred()) PyErr_Clear();
        if (column >= n || keys[column] != nullptr) return nb::none();
        keys[column] = key;
    }
    const nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(n)));
    if (!list.is_valid()) throw nb::python_error();
    for (std::size_t i = 0; i < n; ++i)
        PyList_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i), Py_NewRef(keys[i]));
    return list;
}

}  // namespace troenpy
