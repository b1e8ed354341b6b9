#include "text/python_terms.hpp"

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/matching.hpp"

namespace nb = nanobind;

namespace troenpy::text {

namespace {

// Called now and then: the user may interrupt, and other threads may be waiting for the GIL.
void pause(std::uint64_t step) {
    if (step % (1 << 12) != 0) return;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    nb::gil_scoped_release release;
}

nb::object to_str(std::string_view text) {
    const auto length = static_cast<Py_ssize_t>(text.size());
    bool is_ascii = true;
    for (const char c : text) is_ascii &= static_cast<signed char>(c) >= 0;
    PyObject *str = is_ascii ? PyUnicode_New(length, 127) : PyUnicode_DecodeUTF8(text.data(), length, "surrogatepass");
    if (str == nullptr) throw nb::python_error();
    if (is_ascii && length > 0) std::memcpy(PyUnicode_DATA(str), text.data(), text.size());
    return nb::steal(str);
}

// A dict that is large enough from the start. A growing dict is often two thirds full, where every new key collides:
// several cache misses instead of one, a tenth of the time of a fit. The function is private, but in the headers of
// CPython 3.11 to 3.14.
nb::dict dict_with_room(std::uint64_t n) {
#if defined(PYPY_VERSION) || PY_VERSION_HEX >= 0x030F0000
    static_cast<void>(n);
    return {};
#else
    PyObject *dict = _PyDict_NewPresized(static_cast<Py_ssize_t>(n));
    if (dict == nullptr) throw nb::python_error();
    return nb::steal<nb::dict>(dict);
#endif
}

// Looking up one term in the dict costs about as much as looking up this many in the tables.
constexpr std::size_t lookups_per_search = 8;

std::string_view utf8_of(PyObject *str, nb::object &bytes) {
    if (PyUnicode_IS_ASCII(str)) {
        return {static_cast<const char *>(PyUnicode_DATA(str)), static_cast<std::size_t>(PyUnicode_GET_LENGTH(str))};
    }
    bytes = nb::steal(PyUnicode_AsEncodedString(str, "utf-8", "surrogatepass"));
    if (!bytes.is_valid()) throw nb::python_error();
    return {PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
}

std::int64_t column_of(PyObject *value) {
    const Py_ssize_t column = PyNumber_AsSsize_t(value, PyExc_OverflowError);
    if (column == -1 && PyErr_Occurred()) throw nb::python_error();
    return column;
}

// A key that is not str matches no term; a value too large for a column is only an error if its key matches one.
GivenTerms copy_terms(const nb::dict &vocabulary, std::size_t n_columns) {
    GivenTerms terms(n_columns);
    PyObject *key, *value;
    nb::object bytes;
    for (Py_ssize_t at = 0; PyDict_Next(vocabulary.ptr(), &at, &key, &value);) {
        if (!PyUnicode_Check(key)) continue;
        terms.add(utf8_of(key, bytes), PyLong_AsSsize_t(value));
        PyErr_Clear();
    }
    terms.pad();
    return terms;
}

Columns search_columns(Counter &counter, const nb::dict &vocabulary, std::size_t n_columns) {
    const std::size_t n_workers = counter.workers().size();
    Columns columns{std::vector<std::vector<std::uint32_t>>(n_workers), n_columns, false, false};
    std::string text;
    for (std::size_t worker = 0; worker < n_workers; ++worker) {
        if (!counter.workers()[worker]) continue;
        const TermTable &table = *counter.workers()[worker]->table();
        columns.by_worker[worker].assign(table.n_terms(), no_column);
        for (std::uint32_t term = 0; term < table.n_terms(); ++term) {
            pause(term);
            table.spell(term, text);
            PyObject *column = PyDict_GetItemWithError(vocabulary.ptr(), to_str(text).ptr());
            if (column != nullptr)
                columns.by_worker[worker][term] = checked_column(column_of(column), n_columns);
            else if (PyErr_Occurred())
                throw nb::python_error();
        }
    }
    columns.shared = has_shared_columns(columns.by_worker, n_columns);
    return columns;
}

bool has_whole_columns(const nb::dict &vocabulary) {
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(vocabulary.ptr(), &at, &key, &value);) {
        if (!PyLong_Check(value)) return false;
    }
    return true;
}

}  // namespace

nb::dict make_vocabulary(const PackedTerms &terms) {
    nb::dict vocabulary = dict_with_room(terms.n_terms);
    for (std::uint64_t term = 0; term < terms.n_terms; ++term) {
        pause(term);
        const nb::object str = to_str(terms[term]);
        const nb::object column = nb::steal(PyLong_FromUnsignedLongLong(term));
        if (!column.is_valid() || PyDict_SetItem(vocabulary.ptr(), str.ptr(), column.ptr()) != 0)
            throw nb::python_error();
    }
    return vocabulary;
}

CountedRows *match_vocabulary(Counter &counter, const nb::dict &vocabulary) {
    const auto n_columns = static_cast<std::size_t>(PyDict_Size(vocabulary.ptr()));
    if (n_columns >= no_column) throw std::overflow_error("more than 2**32 - 2 terms in the vocabulary");
    std::size_t n_terms = 0;
    for (const auto &worker : counter.workers()) n_terms += worker ? worker->table()->n_terms() : 0;
    if (n_terms * lookups_per_search < n_columns || !has_whole_columns(vocabulary))
        return new CountedRows(counter, search_columns(counter, vocabulary, n_columns));
    const GivenTerms terms = copy_terms(vocabulary, n_columns);
    nb::gil_scoped_release release;
    return new CountedRows(counter, find_columns(counter, terms));
}

namespace {

// The places of an array of n objects.
class Objects {
public:
    Objects(nb::handle array, std::size_t n) {
        if (PyObject_GetBuffer(array.ptr(), &buffer_, PyBUF_CONTIG | PyBUF_FORMAT) != 0) throw nb::python_error();
        if (std::string_view(buffer_.format) == "O" && static_cast<std::size_t>(buffer_.len) == n * sizeof(PyObject *))
            return;
        PyBuffer_Release(&buffer_);
        throw std::invalid_argument("names must be an array of as many objects as there are terms");
    }
    Objects(const Objects &) = delete;
    Objects &operator=(const Objects &) = delete;
    ~Objects() { PyBuffer_Release(&buffer_); }

    void put(std::size_t i, PyObject *object) {
        Py_XDECREF(std::exchange(static_cast<PyObject **>(buffer_.buf)[i], Py_NewRef(object)));
    }

private:
    Py_buffer buffer_;
};

}  // namespace

void write_names(const PackedTerms &terms, nb::handle names) {
    Objects objects(names, terms.n_terms);
    for (std::uint64_t term = 0; term < terms.n_terms; ++term) {
        pause(term);
        objects.put(term, to_str(terms[term]).ptr());
    }
}

bool names_by_column(const nb::dict &vocabulary, nb::handle names) {
    const auto n = static_cast<std::size_t>(PyDict_Size(vocabulary.ptr()));
    Objects objects(names, n);
    std::vector<bool> is_named(n);
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(vocabulary.ptr(), &at, &key, &value);) {
        if (!PyLong_CheckExact(value)) return false;
        const std::size_t column = PyLong_AsSize_t(value);
        if (PyErr_Occurred()) PyErr_Clear();
        if (column >= n || is_named[column]) return false;
        is_named[column] = true;
        objects.put(column, key);
    }
    return true;
}

}  // namespace troenpy::text
