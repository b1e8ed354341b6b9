// Python bindings for the tallies of streams.

#include "bind.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "tally/term_tally.hpp"

namespace troenpy::tally {

namespace {

using Int64s = Array<const std::int64_t>;
using Doubles = Array<const double>;

// The labels are copied, since the batch waits.
Labels read_labels(const Int64s &starts, const Int64s &codes, const Doubles &weights, std::uint32_t n_classes) {
    const std::size_t n_documents = checked_rows(starts, codes.size());
    if (weights.size() != 0 && weights.size() != n_documents)
        throw std::invalid_argument("weights and documents differ in number");
    Labels labels;
    labels.starts.assign(starts.data(), starts.data() + starts.size());
    labels.codes.reserve(codes.size());
    for (std::size_t i = 0; i < codes.size(); ++i) {
        if (static_cast<std::uint64_t>(codes.data()[i]) >= n_classes)
            throw std::out_of_range("a class is out of range");
        labels.codes.push_back(static_cast<std::uint32_t>(codes.data()[i]));
    }
    labels.weights.assign(weights.data(), weights.data() + weights.size());
    labels.n_classes = n_classes;
    return labels;
}

std::vector<std::int32_t> read_ranks(const Int64s &ranks) {
    return std::vector<std::int32_t>(ranks.data(), ranks.data() + ranks.size());
}

// Calls body(watch), so that Ctrl-C is noticed, without the GIL.
template <typename F>
void watched(F &&body) {
    nb::gil_scoped_release release;
    std::atomic<bool> stop{false};
    Watch watch(stop, true);
    body(watch);
}

nb::tuple to_tuple(Counts &&counts) {
    return nb::make_tuple(to_numpy(std::move(counts.n_documents)), to_numpy(std::move(counts.weights)),
                          to_numpy(std::move(counts.occurrences)), to_numpy(std::move(counts.indptr)),
                          to_numpy(std::move(counts.classes)), to_numpy(std::move(counts.counts)));
}

// Counts that were saved; everything is checked, since they may come from a file.
struct SavedArrays {
    Int64s n_documents;
    Doubles weights, occurrences;
    Int64s indptr;
    Array<const std::int32_t> classes;
    Doubles counts;

    SavedCounts checked(std::size_t n_terms, std::uint32_t n_classes, bool weighted) const {
        if (checked_rows(indptr, counts.size()) != n_terms || n_documents.size() != n_terms ||
            weights.size() != n_terms || occurrences.size() != n_terms || classes.size() != counts.size())
            throw std::invalid_argument("the arrays of a tally differ in length");
        for (std::size_t i = 0; i < classes.size(); ++i) {
            if (static_cast<std::uint64_t>(classes.data()[i]) >= n_classes)
                throw std::out_of_range("a class is out of range");
        }
        for (std::size_t i = 0; !weighted && i < counts.size(); ++i) {
            if (!(counts.data()[i] >= 0 && counts.data()[i] <= std::numeric_limits<std::uint32_t>::max()))
                throw std::out_of_range("a number of documents is out of range");
        }
        for (std::size_t i = 0; i < n_terms; ++i) {
            if (static_cast<std::uint64_t>(n_documents.data()[i]) > std::numeric_limits<std::uint32_t>::max())
                throw std::out_of_range("a number of documents is out of range");
        }
        return {n_documents.data(), weights.data(), occurrences.data(), indptr.data(), classes.data(), counts.data()};
    }
};

void hold_texts(TermTally &tally, text::Counter &counter, Int64s starts, Int64s codes, Doubles weights,
                std::uint32_t n_classes, bool binary) {
    tally.hold(counter, read_labels(starts, codes, weights, n_classes), binary);
}

void settle_texts(TermTally &tally, std::uint64_t n_batches, unsigned n_threads) {
    if (n_threads < 1) throw std::invalid_argument("n_threads must be at least 1");
    watched([&](Watch &watch) { tally.settle(n_batches, n_threads, watch); });
}

nb::tuple term_counts(TermTally &tally, Int64s ranks, unsigned n_threads) {
    Counts counts;
    const std::vector<std::int32_t> places = read_ranks(ranks);
    watched([&](Watch &) { counts = tally.counts(places, n_threads); });
    return nb::make_tuple(to_numpy(std::move(counts.text)), to_numpy(std::move(counts.ends)),
                          to_numpy(std::move(counts.errors)), to_numpy(std::move(counts.order)),
                          to_tuple(std::move(counts)));
}

// `sequence` has the columns in the order in which their terms entered.
void restore_terms(TermTally &tally, Array<const std::uint8_t> text, Int64s ends, Int64s errors, Int64s sequence,
                   const SavedArrays &saved, std::uint32_t n_classes, std::uint64_t n_documents,
                   std::uint64_t kept_above, bool weighted) {
    const std::size_t n_terms = ends.size();
    const SavedCounts counts = saved.checked(n_terms, n_classes, weighted);
    if (tally.n_terms() > 0 || sequence.size() != n_terms || (tally.max_terms() > 0 && errors.size() != n_terms))
        throw std::invalid_argument("the terms of a tally differ in number");
    std::int64_t last = 0;
    for (std::size_t i = 0; i < n_terms; last = ends.data()[i++]) {
        if (ends.data()[i] < last || static_cast<std::uint64_t>(ends.data()[i]) > text.size())
            throw std::invalid_argument("the ends of the terms do not ascend");
    }
    tally.cells().set_classes(n_classes);
    if (weighted) tally.cells().start_weights();
    tally.waiting().start_with(n_documents);
    tally.set_kept_above(kept_above);
    for (std::size_t i = 0; i < n_terms; ++i) {
        const auto column = static_cast<std::size_t>(sequence.data()[i]);
        if (column >= n_terms) throw std::out_of_range("a column is out of range");
        const std::int64_t begin = column == 0 ? 0 : ends.data()[column - 1];
        const std::string_view spelled(reinterpret_cast<const char *>(text.data()) + begin,
                                       static_cast<std::size_t>(ends.data()[column] - begin));
        const auto error = tally.max_terms() == 0 ? 0 : static_cast<std::uint64_t>(errors.data()[column]);
        restore(tally.cells(), tally.restore(spelled, error), counts, column);
    }
}

}  // namespace

void bind(nb::module_ &module) {
    nb::class_<SavedArrays>(module, "SavedCounts")
        .def("__init__", [](SavedArrays *place, Int64s n_documents, Doubles weights, Doubles occurrences, Int64s indptr,
                            Array<const std::int32_t> classes, Doubles counts) {
            new (place) SavedArrays{n_documents, weights, occurrences, indptr, classes, counts};
        });
    nb::class_<TermTally>(module, "TermTally")
        .def(nb::init<std::uint32_t>(), nb::arg("max_terms"))
        .def_prop_ro("n_terms", &TermTally::n_terms)
        .def_prop_ro("n_cells", &TermTally::n_cells)
        .def("tables", &TermTally::tables, nb::arg("n_threads"))
        .def_prop_ro("kept_above", &TermTally::kept_above)
        .def("hold", &hold_texts, nb::arg("counter"), nb::arg("starts").noconvert(), nb::arg("codes").noconvert(),
             nb::arg("weights").noconvert(), nb::arg("n_classes"), nb::arg("binary"))
        .def("settle", &settle_texts, nb::arg("n_batches"), nb::arg("n_threads"))
        .def("counts", &term_counts, nb::arg("ranks").noconvert(), nb::arg("n_threads"))
        .def("restore", &restore_terms, nb::arg("text").noconvert(), nb::arg("ends").noconvert(),
             nb::arg("errors").noconvert(), nb::arg("sequence").noconvert(), nb::arg("saved"), nb::arg("n_classes"),
             nb::arg("n_documents"), nb::arg("kept_above"), nb::arg("weighted"));
}

}  // namespace troenpy::tally
