// Python bindings for counting terms in str and Arrow data.

#include "bind.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "gil.hpp"
#include "text/arrow.hpp"
#include "text/characters.hpp"
#include "text/counter.hpp"
#include "text/counts.hpp"
#include "text/held_texts.hpp"
#include "text/matching.hpp"
#include "text/python_lower.hpp"
#include "text/python_terms.hpp"
#include "text/term_index.hpp"

namespace troenpy::text {

namespace {

Analyzer analyzer_by_name(const std::string &name) {
    if (name == "word") return Analyzer::word;
    if (name == "text") return Analyzer::text;
    if (name == "char") return Analyzer::chars;
    if (name == "char_wb") return Analyzer::chars_in_words;
    throw std::invalid_argument("analyzer must be 'word', 'text', 'char' or 'char_wb', got '" + name + "'");
}

std::string to_utf8(PyObject *str) {
    const nb::object bytes = nb::steal(PyUnicode_AsEncodedString(str, "utf-8", "surrogatepass"));
    if (!bytes.is_valid()) throw nb::python_error();
    return {PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
}

std::vector<std::string> read_stop_words(nb::sequence stop_words) {
    std::vector<std::string> words;
    for (nb::handle word : stop_words) {
        if (PyUnicode_Check(word.ptr())) words.push_back(to_utf8(word.ptr()));
    }
    return words;
}

Counter *make_counter(const std::string &analyzer, bool lowercase, std::uint32_t min_n, std::uint32_t max_n,
                      nb::sequence stop_words, unsigned n_threads, bool portable, std::shared_ptr<TermIndex> index,
                      std::vector<std::shared_ptr<TermTable>> tables) {
    if (min_n < 1 || min_n > max_n) throw std::invalid_argument("1 <= min_n <= max_n does not hold");
    if (n_threads < 1) throw std::invalid_argument("n_threads must be at least 1");
    if (analyzer == "text") character_classes();  // throws if there are none
    Settings settings{analyzer_by_name(analyzer), lowercase, min_n, max_n, read_stop_words(stop_words), portable};
    return new Counter(std::move(settings), n_threads, std::move(index), std::move(tables));
}

void add_texts(Counter &counter, nb::list documents) {
    const HeldTexts held(documents);
    const ReleaseForLong release(counter.n_threads() > 1 || held.n_bytes >= long_work);
    counter.add(held.texts);
}

void add_arrow(Counter &counter, const ArrowTexts &documents) {
    if (documents.n_missing() > 0) throw nb::value_error("a document is missing");
    if (documents.is_binary()) throw nb::type_error("documents must be str");
    nb::gil_scoped_release release;
    counter.add(documents.texts());
}

TermCounts *finish(Counter &counter) {
    if (counter.index() != nullptr) throw std::invalid_argument("this counter has an index: call rows()");
    nb::gil_scoped_release release;
    return new TermCounts(counter);
}

Array<std::int64_t> document_frequencies(const TermCounts &counts) {
    std::vector<std::int64_t> result(counts.vocabulary().size());
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = static_cast<std::int64_t>(counts.vocabulary().n_documents(i));
    return to_numpy(std::move(result));
}

Array<std::int64_t> occurrences(const CountedRows &counts) {
    std::vector<std::int64_t> result;
    {
        nb::gil_scoped_release release;
        result = counts.occurrences();
    }
    return to_numpy(std::move(result));
}

void keep(TermCounts &counts, Array<const bool> mask) {
    if (mask.size() != counts.vocabulary().size())
        throw std::invalid_argument("mask has another length than the terms");
    counts.keep(mask.data());
}

Array<std::int64_t> row_borders(CountedRows &counts) {
    std::vector<std::int64_t> indptr;
    {
        nb::gil_scoped_release release;
        indptr = counts.row_borders();
    }
    return to_numpy(std::move(indptr));
}

// Row borders come from the counts, so only the array sizes need to be checked.
template <typename Index, typename Value>
void check_room(CountedRows &counts, const Array<Index> &indices, const Array<Value> &data) {
    std::uint64_t n_values;
    {
        nb::gil_scoped_release release;
        n_values = static_cast<std::uint64_t>(counts.row_borders().back());
    }
    if (indices.size() != n_values || data.size() != n_values) {
        throw std::invalid_argument("indices and data must have room for " + std::to_string(n_values) +
                                    " values, got " + std::to_string(indices.size()) + " and " +
                                    std::to_string(data.size()) + ": row_borders() ends with their number");
    }
    if (counts.n_columns() > static_cast<std::uint64_t>(std::numeric_limits<Index>::max()))
        throw std::overflow_error("more columns than these indices can number: pass indices of 64 bits");
}

template <typename Index, typename Value>
std::uint64_t write_rows(CountedRows &counts, Array<Index> indices, Array<Value> data, bool binary) {
    check_room(counts, indices, data);
    nb::gil_scoped_release release;
    return counts.write_rows(indices.data(), data.data(), binary);
}

nb::tuple pack(const LearnedTerms &terms) {
    std::vector<std::uint8_t> text;
    std::vector<std::int64_t> ends;
    {
        nb::gil_scoped_release release;
        terms.pack(text, ends);
    }
    return nb::make_tuple(to_numpy(std::move(text)), to_numpy(std::move(ends)));
}

std::shared_ptr<TermIndex> take_index(LearnedTerms &terms) {
    nb::gil_scoped_release release;
    return terms.take_index();
}

// Terms from files are checked by their reader; this only keeps what follows within the arrays.
PackedTerms packed_terms(const Array<const std::uint8_t> &text, const Array<const std::int64_t> &ends) {
    std::int64_t before = 0;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        if (ends.data()[i] < before) throw std::invalid_argument("ends must ascend from 0");
        before = ends.data()[i];
    }
    if (static_cast<std::uint64_t>(before) > text.size() || ends.size() >= no_column)
        throw std::invalid_argument("ends must stay within the text");
    return {reinterpret_cast<const char *>(text.data()), ends.data(), ends.size()};
}

std::shared_ptr<TermIndex> make_index(Array<const std::uint8_t> text, Array<const std::int64_t> ends, bool has_words,
                                      nb::sequence stop_words, Array<const std::int64_t> frequent) {
    const PackedTerms terms = packed_terms(text, ends);
    const std::vector<std::string> words = read_stop_words(stop_words);
    const std::span<const std::int64_t> first(frequent.data(), frequent.size());
    for (const std::int64_t column : first) checked_column(column, terms.n_terms);
    nb::gil_scoped_release release;
    return std::make_shared<TermIndex>(terms, has_words, words, first);
}

// Takes over the chunks of a counter that has an index.
CountedRows *matched_rows(Counter &counter) {
    if (counter.index() == nullptr) throw std::invalid_argument("this counter has no index");
    return new CountedRows(counter, matched_columns(counter));
}

template <typename Index, typename Value>
void bind_write_rows(nb::class_<CountedRows> &counts) {
    counts.def("write_rows", &write_rows<Index, Value>, nb::arg("indices").noconvert(), nb::arg("data").noconvert(),
               nb::arg("binary"));
}

template <typename Index>
void bind_write_rows(nb::class_<CountedRows> &counts) {
    bind_write_rows<Index, std::int32_t>(counts);
    bind_write_rows<Index, std::int64_t>(counts);
    bind_write_rows<Index, float>(counts);
    bind_write_rows<Index, double>(counts);
}

template <typename T>
T &from_capsule(nb::handle capsule, const char *name) {
    auto *pointer = static_cast<T *>(PyCapsule_GetPointer(capsule.ptr(), name));
    if (pointer == nullptr) throw nb::python_error();
    if (pointer->release == nullptr) throw std::invalid_argument("this Arrow data has been read before");
    return *pointer;
}

ArrowSource *open_stream(nb::handle stream) {
    auto &source = from_capsule<ArrowArrayStream>(stream, "arrow_array_stream");
    nb::gil_scoped_release release;  // a producer may wait for a thread that needs it
    return new ArrowSource(source);
}

ArrowSource *open_array(nb::handle schema, nb::handle array) {
    return new ArrowSource(from_capsule<ArrowSchema>(schema, "arrow_schema"),
                           from_capsule<ArrowArray>(array, "arrow_array"));
}

nb::object column_names(const ArrowSource &source) {
    if (!source.is_table()) return nb::none();
    nb::list names;
    for (const std::string &name : source.columns()) {
        PyObject *str = PyUnicode_DecodeUTF8(name.data(), static_cast<Py_ssize_t>(name.size()), "replace");
        if (str == nullptr) throw nb::python_error();
        names.append(nb::steal(str));
    }
    return names;
}

ArrowTexts *read_texts(ArrowSource &source, std::uint64_t n_bytes) {
    nb::gil_scoped_release release;
    return source.read(n_bytes).release();
}

nb::list to_list(const ArrowTexts &documents) {
    nb::list result;
    for (const Text &text : documents.texts()) {
        if (text.data == nullptr) {
            result.append(nb::none());
            continue;
        }
        const auto *data = static_cast<const char *>(text.data);
        const auto length = static_cast<Py_ssize_t>(text.length);
        PyObject *document = documents.is_binary() ? PyBytes_FromStringAndSize(data, length)
                                                   : PyUnicode_DecodeUTF8(data, length, nullptr);
        if (document == nullptr) throw nb::python_error();
        result.append(nb::steal(document));
    }
    return result;
}

// The distinct strings of a list in the order of first occurrence, and the number of each; None if others are in it. One
// pass, since strings lie at random in memory.
nb::object number_strings(nb::list strings) {
    const auto n = static_cast<std::size_t>(PyList_GET_SIZE(strings.ptr()));
    std::vector<std::int64_t> codes;
    codes.reserve(n);
    nb::dict numbers;
    nb::list distinct;
    for (std::size_t i = 0; i < n; ++i) {
        const nb::object string = nb::borrow(PyList_GET_ITEM(strings.ptr(), static_cast<Py_ssize_t>(i)));
        if (!PyUnicode_CheckExact(string.ptr())) return nb::none();
        PyObject *known = PyDict_GetItemWithError(numbers.ptr(), string.ptr());
        if (known == nullptr) {
            if (PyErr_Occurred()) throw nb::python_error();
            numbers[string] = distinct.size();
            codes.push_back(static_cast<std::int64_t>(distinct.size()));
            distinct.append(string);
        } else {
            codes.push_back(PyLong_AsLongLong(known));
        }
    }
    return nb::make_tuple(distinct, to_numpy(std::move(codes)));
}

}  // namespace

void bind(nb::module_ &module) {
    nb::class_<ArrowSource>(module, "ArrowSource")
        .def(nb::new_(&open_stream), nb::arg("stream"))
        .def(nb::new_(&open_array), nb::arg("schema"), nb::arg("array"))
        .def_prop_ro("columns", &column_names)
        .def("read", &read_texts, nb::arg("n_bytes") = std::numeric_limits<std::uint64_t>::max());

    nb::class_<ArrowTexts>(module, "ArrowTexts")
        .def("__len__", [](const ArrowTexts &documents) { return documents.texts().size(); })
        .def_prop_ro("is_binary", &ArrowTexts::is_binary)
        .def_prop_ro("n_missing", &ArrowTexts::n_missing)
        .def_prop_ro("first_missing", &ArrowTexts::first_missing)
        .def("fill_missing", &ArrowTexts::fill_missing)
        .def("to_list", &to_list);

    module.def(
        "set_character_classes",
        [](Array<const std::uint8_t> classes) { set_character_classes(classes.data(), classes.size()); },
        nb::arg("classes"));
    nb::class_<TermTable>(module, "TermTable");
    nb::class_<Counter>(module, "TermCounter")
        .def(nb::new_(&make_counter), nb::kw_only(), nb::arg("analyzer"), nb::arg("lowercase"), nb::arg("min_n"),
             nb::arg("max_n"), nb::arg("stop_words"), nb::arg("n_threads"), nb::arg("portable") = false,
             nb::arg("index") = nb::none(), nb::arg("tables") = nb::list())
        .def_prop_ro("n_documents", &Counter::n_documents)
        .def_prop_ro("n_workers", [](Counter &counter) { return counter.workers().size(); })
        .def("add", &add_texts, nb::arg("documents"))
        .def("add", &add_arrow, nb::arg("documents"))
        .def("finish", &finish)
        .def("rows", &matched_rows)
        .def("match", &match_vocabulary, nb::arg("vocabulary"));

    nb::class_<CountedRows> rows(module, "CountedRows");
    rows.def_prop_ro("n_documents", &CountedRows::n_documents)
        .def_prop_ro("n_columns", &CountedRows::n_columns)
        .def("occurrences", &occurrences)
        .def("row_borders", &row_borders);

    nb::class_<TermCounts, CountedRows> terms(module, "TermCounts");
    terms.def("document_frequencies", &document_frequencies)
        .def("keep", &keep, nb::arg("mask").noconvert())
        .def("take_terms", &TermCounts::take_terms);
    bind_write_rows<std::int32_t>(rows);
    bind_write_rows<std::int64_t>(rows);

    nb::class_<LearnedTerms>(module, "LearnedTerms")
        .def("__len__", &LearnedTerms::size)
        .def("pack", &pack)
        .def("take_index", &take_index);
    nb::class_<TermIndex>(module, "TermIndex")
        .def(nb::new_(&make_index), nb::arg("text"), nb::arg("ends"), nb::arg("has_words"), nb::arg("stop_words"),
             nb::arg("frequent"));
    module.def(
        "columns_by_name",
        [](Array<const std::uint8_t> text, Array<const std::int64_t> ends) {
            return make_vocabulary(packed_terms(text, ends));
        },
        nb::arg("text"), nb::arg("ends"));
    module.def(
        "terms_ascend",
        [](Array<const std::uint8_t> text, Array<const std::int64_t> ends) {
            const PackedTerms terms = packed_terms(text, ends);
            for (std::uint64_t i = 1; i < terms.n_terms; ++i) {
                if (terms[i - 1] >= terms[i]) return false;
            }
            return true;
        },
        nb::arg("text"), nb::arg("ends"));
    module.def(
        "write_names",
        [](Array<const std::uint8_t> text, Array<const std::int64_t> ends, nb::handle names) {
            write_names(packed_terms(text, ends), names);
        },
        nb::arg("text"), nb::arg("ends"), nb::arg("names"));
    module.def("number_strings", &number_strings, nb::arg("strings"));
    module.def("names_by_column", &names_by_column, nb::arg("vocabulary"), nb::arg("names"));
}

}  // namespace troenpy::text
