// Python bindings for counting terms in str and Arrow data.

#include "bind.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <future>
#include <limits>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "arrays.hpp"
#include "text/arrow.hpp"
#include "text/counter.hpp"
#include "text/counts.hpp"
#include "text/python_lower.hpp"
#include "text/python_terms.hpp"

namespace troenpy::text {

namespace {

Analyzer analyzer_by_name(const std::string &name) {
    if (name == "word") return Analyzer::word;
    if (name == "char") return Analyzer::chars;
    if (name == "char_wb") return Analyzer::chars_in_words;
    throw std::invalid_argument("analyzer must be 'word', 'char' or 'char_wb', got '" + name + "'");
}

std::string to_utf8(PyObject *str) {
    const nb::object bytes = nb::steal(PyUnicode_AsEncodedString(str, "utf-8", "surrogatepass"));
    if (!bytes.is_valid()) throw nb::python_error();
    return {PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
}

Counter *make_counter(const std::string &analyzer, bool lowercase, std::uint32_t min_n, std::uint32_t max_n,
                      nb::sequence stop_words, unsigned n_threads, bool portable) {
    if (min_n < 1 || min_n > max_n) throw std::invalid_argument("1 <= min_n <= max_n does not hold");
    if (n_threads < 1) throw std::invalid_argument("n_threads must be at least 1");
    Settings settings{analyzer_by_name(analyzer), lowercase, min_n, max_n, {}, portable};
    for (nb::handle word : stop_words) {
        if (PyUnicode_Check(word.ptr())) settings.stop_words.push_back(to_utf8(word.ptr()));
    }
    return new Counter(std::move(settings), n_threads);
}

// The tuple keeps the documents alive without the GIL, while the caller's list may change.
void add_texts(Counter &counter, nb::list documents) {
    const nb::object held = nb::steal(PySequence_Tuple(documents.ptr()));
    if (!held.is_valid()) throw nb::python_error();
    const auto n = static_cast<std::size_t>(PyTuple_GET_SIZE(held.ptr()));
    std::vector<Text> texts;
    texts.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        PyObject *document = PyTuple_GET_ITEM(held.ptr(), static_cast<Py_ssize_t>(i));
        if (!PyUnicode_Check(document)) throw nb::type_error("documents must be str");
        texts.push_back(text_of(document));
    }
    nb::gil_scoped_release release;
    counter.add(texts);
}

void add_arrow(Counter &counter, const ArrowTexts &documents) {
    if (documents.first_missing() >= 0) throw nb::value_error("a document is missing");
    nb::gil_scoped_release release;
    counter.add(documents.texts());
}

TermCounts *finish(Counter &counter) {
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
void write_rows(CountedRows &counts, Array<Index> indices, Array<Value> data, bool binary) {
    check_room(counts, indices, data);
    nb::gil_scoped_release release;
    ChunkQueue queue;
    counts.write_rows(indices.data(), data.data(), binary, counts.n_threads(), queue);
}

// Starts the work in a new thread; if there is none, the work runs when its result is first needed.
template <typename Work>
std::future<void> begin_beside(const Work &work) {
    try {
        return std::async(std::launch::async, work);
    } catch (const std::system_error &) {
        return std::async(std::launch::deferred, work);
    }
}

// Building the dict needs the GIL, writing rows does not: other threads start on the rows, and this one joins them
// after the dict.
template <typename Index, typename Value>
nb::dict vocabulary_and_rows(TermCounts &counts, Array<Index> indices, Array<Value> data, bool binary) {
    check_room(counts, indices, data);
    ChunkQueue queue;
    const auto write = [&](unsigned n_threads) {
        counts.write_rows(indices.data(), data.data(), binary, n_threads, queue);
    };
    const unsigned n_others = counts.n_threads() > 1 ? counts.n_threads() - 1 : 1;
    std::future<void> others = begin_beside([&] { write(n_others); });
    const auto wait = [&] {
        nb::gil_scoped_release release;
        others.wait();
    };
    nb::dict vocabulary;
    try {
        vocabulary = make_vocabulary(counts);
        nb::gil_scoped_release release;
        if (counts.n_threads() > 1) write(1);
    } catch (...) {
        queue.stop = true;
        wait();
        throw;
    }
    wait();
    others.get();
    return vocabulary;
}

template <typename Index, typename Value>
void bind_write_rows(nb::class_<CountedRows> &counts, nb::class_<TermCounts, CountedRows> &terms) {
    counts.def("write_rows", &write_rows<Index, Value>, nb::arg("indices").noconvert(), nb::arg("data").noconvert(),
               nb::arg("binary"));
    terms.def("vocabulary_and_rows", &vocabulary_and_rows<Index, Value>, nb::arg("indices").noconvert(),
              nb::arg("data").noconvert(), nb::arg("binary"));
}

template <typename Index>
void bind_write_rows(nb::class_<CountedRows> &counts, nb::class_<TermCounts, CountedRows> &terms) {
    bind_write_rows<Index, std::int32_t>(counts, terms);
    bind_write_rows<Index, std::int64_t>(counts, terms);
    bind_write_rows<Index, float>(counts, terms);
    bind_write_rows<Index, double>(counts, terms);
}

template <typename T>
T &from_capsule(nb::handle capsule, const char *name) {
    auto *pointer = static_cast<T *>(PyCapsule_GetPointer(capsule.ptr(), name));
    if (pointer == nullptr) throw nb::python_error();
    if (pointer->release == nullptr) throw std::invalid_argument("this Arrow data has been read before");
    return *pointer;
}

ArrowTexts *read_stream(nb::handle stream) {
    return new ArrowTexts(from_capsule<ArrowArrayStream>(stream, "arrow_array_stream"));
}

ArrowTexts *read_array(nb::handle schema, nb::handle array) {
    return new ArrowTexts(from_capsule<ArrowSchema>(schema, "arrow_schema"),
                          from_capsule<ArrowArray>(array, "arrow_array"));
}

nb::list to_list(const ArrowTexts &documents) {
    nb::list result;
    for (const Text &text : documents.texts()) {
        if (text.data == nullptr) {
            result.append(nb::none());
            continue;
        }
        PyObject *str =
            PyUnicode_DecodeUTF8(static_cast<const char *>(text.data), static_cast<Py_ssize_t>(text.length), nullptr);
        if (str == nullptr) throw nb::python_error();
        result.append(nb::steal(str));
    }
    return result;
}

}  // namespace

void bind(nb::module_ &module) {
    nb::class_<ArrowTexts>(module, "ArrowTexts")
        .def_static("from_stream", &read_stream, nb::arg("stream"))
        .def_static("from_array", &read_array, nb::arg("schema"), nb::arg("array"))
        .def("__len__", [](const ArrowTexts &documents) { return documents.texts().size(); })
        .def_prop_ro("first_missing", &ArrowTexts::first_missing)
        .def("to_list", &to_list);

    nb::class_<Counter>(module, "TermCounter")
        .def(nb::new_(&make_counter), nb::kw_only(), nb::arg("analyzer"), nb::arg("lowercase"), nb::arg("min_n"),
             nb::arg("max_n"), nb::arg("stop_words"), nb::arg("n_threads"), nb::arg("portable") = false)
        .def_prop_ro("n_documents", &Counter::n_documents)
        .def_prop_ro("n_workers", [](Counter &counter) { return counter.workers().size(); })
        .def("add", &add_texts, nb::arg("documents"))
        .def("add", &add_arrow, nb::arg("documents"))
        .def("finish", &finish)
        .def("match", &match_vocabulary, nb::arg("vocabulary"));

    nb::class_<CountedRows> rows(module, "CountedRows");
    rows.def_prop_ro("n_documents", &CountedRows::n_documents)
        .def_prop_ro("n_columns", &CountedRows::n_columns)
        .def("occurrences", &occurrences)
        .def("row_borders", &row_borders);

    nb::class_<TermCounts, CountedRows> terms(module, "TermCounts");
    terms.def("document_frequencies", &document_frequencies)
        .def("keep", &keep, nb::arg("mask").noconvert())
        .def("vocabulary", &make_vocabulary);
    bind_write_rows<std::int32_t>(rows, terms);
    bind_write_rows<std::int64_t>(rows, terms);
    module.def("names_by_column", &names_by_column, nb::arg("vocabulary"), nb::arg("names"));
}

}  // namespace troenpy::text
