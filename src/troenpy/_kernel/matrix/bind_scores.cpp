// Python bindings for decision values straight from counted documents.

#include "bind.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "gil.hpp"
#include "matrix/scores.hpp"
#include "text/counts.hpp"
#include "text/held_texts.hpp"

namespace troenpy::matrix {

namespace {

template <typename T>
using Table = nb::ndarray<T, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Names = std::vector<std::pair<std::string, std::string>>;

// The features, and the arrays that they point to.
struct BoundFeatures {
    ViewFeatures features;
    Table<const double> weights;
    Array<const double> sizes;
};

BoundFeatures *new_features(const Names &blocks, Table<const double> weights, const TermProfiles *profiles,
                            Array<const double> sizes, double n_labels, double smoothing, double scale) {
    const std::size_t n_columns = weights.shape(1);
    if (weights.shape(0) != blocks.size()) throw std::invalid_argument("weights and blocks differ in number");
    if (profiles != nullptr && (profiles->n_columns() != n_columns || profiles->n_classes() != sizes.size()))
        throw std::invalid_argument("profiles, weights and sizes do not fit each other");
    return new BoundFeatures{
        {blocks_by_name(blocks), weights.data(), n_columns, profiles, sizes.data(), n_labels, smoothing, scale},
        weights,
        sizes};
}

// The documents [first, first + n_rows) of counted documents, scored by one thread or several.
template <typename Value, typename Coefficient>
struct Scores {
    const ViewFeatures &features;
    const text::CountedRows &counts;
    bool is_binary;
    std::uint64_t first, n_rows;
    const Coefficient *coef;
    std::size_t n_decisions;
    double *out;          // [row][decision], added to
    std::uint8_t *known;  // set for every row with a term

    void write(const text::Chunk &chunk, Scorer<Value, Coefficient> &scorer, Watch &watch) const {
        std::uint64_t document = chunk.first_document;
        text::for_each_row(chunk, [&](const text::Entry *begin, const text::Entry *end) {
            const std::uint64_t row = document++ - first;  // wraps before the first
            if (row >= n_rows) return;
            if (row % 64 == 0) watch.check();
            scorer.counts.resize(static_cast<std::size_t>(end - begin));
            scorer.columns.resize(scorer.counts.size());
            for (std::size_t i = 0; i < scorer.counts.size(); ++i) {
                scorer.counts[i] = is_binary ? Value{1} : static_cast<Value>(begin[i].count);
                scorer.columns[i] = begin[i].term;
            }
            if (begin != end) known[row] = 1;
            scorer.score(out + row * n_decisions);
        });
    }

    void write_all(unsigned n_threads) const {
        using OneScorer = Scorer<Value, Coefficient>;
        const std::vector<text::Chunk> &chunks = counts.chunks();
        std::vector<std::unique_ptr<OneScorer>> scorers(useful_threads(n_threads, chunks.size()));
        run_tasks(n_threads, chunks.size(), [&](unsigned worker, std::size_t task, Watch &watch) {
            if (!scorers[worker]) scorers[worker] = std::make_unique<OneScorer>(features, coef, n_decisions);
            write(chunks[task], *scorers[worker], watch);
        });
    }
};

template <typename Value, typename Coefficient>
Scores<Value, Coefficient> checked_scores(const ViewFeatures &features, const text::CountedRows &counts, bool is_binary,
                                          std::uint64_t first, const Table<const Coefficient> &coef,
                                          const Table<double> &out, const Array<std::uint8_t> &known) {
    if (!counts.is_matched() || counts.n_columns() != features.n_columns || coef.shape(0) != features.n_features() ||
        coef.shape(1) != out.shape(1) || first > counts.n_documents() || out.shape(0) > counts.n_documents() - first ||
        known.size() != out.shape(0))
        throw std::invalid_argument("counts, features, coefficients and output do not fit each other");
    return {features, counts, is_binary, first, out.shape(0), coef.data(), coef.shape(1), out.data(), known.data()};
}

template <typename Value, typename Coefficient>
void add_scores(const BoundFeatures &bound, text::CountedRows &counts, bool is_binary, std::uint64_t first,
                Table<const Coefficient> coef, Table<double> out, Array<std::uint8_t> known, Array<const Value>,
                unsigned n_threads) {
    const auto scores = checked_scores<Value, Coefficient>(bound.features, counts, is_binary, first, coef, out, known);
    nb::gil_scoped_release release;
    scores.write_all(n_threads);
}

// Counts documents and scores them at once: two calls would have to wait for the GIL twice.
template <typename Value, typename Coefficient>
void add_scores_of_texts(const BoundFeatures &bound, text::Counter &counter, nb::list documents, bool is_binary,
                         Table<const Coefficient> coef, Table<double> out, Array<std::uint8_t> known,
                         Array<const Value>, unsigned n_threads) {
    const text::HeldTexts held(documents);
    if (counter.n_documents() > 0 || counter.index() == nullptr || held.texts.size() != out.shape(0))
        throw std::invalid_argument("counter, documents and output do not fit each other");
    const ReleaseForLong release(n_threads > 1 || held.n_bytes + 2 * out.size() >= long_work);
    counter.add(held.texts);
    text::CountedRows counts(counter, text::matched_columns(counter));
    checked_scores<Value, Coefficient>(bound.features, counts, is_binary, 0, coef, out, known).write_all(n_threads);
}

template <typename Value, typename Coefficient>
void bind_add_scores(nb::class_<BoundFeatures> &features) {
    features.def("add_scores", &add_scores<Value, Coefficient>, nb::arg("counts"), nb::arg("is_binary"),
                 nb::arg("first"), nb::arg("coef").noconvert(), nb::arg("out").noconvert(),
                 nb::arg("known").noconvert(), nb::arg("like").noconvert(), nb::arg("n_threads"));
    features.def("add_scores_of_texts", &add_scores_of_texts<Value, Coefficient>, nb::arg("counter"),
                 nb::arg("documents"), nb::arg("is_binary"), nb::arg("coef").noconvert(), nb::arg("out").noconvert(),
                 nb::arg("known").noconvert(), nb::arg("like").noconvert(), nb::arg("n_threads"));
}

}  // namespace

void bind_scores(nb::module_ &module) {
    nb::class_<BoundFeatures> features(module, "ViewFeatures");
    features.def(nb::new_(&new_features), nb::arg("blocks"), nb::arg("weights").noconvert(), nb::arg("profiles").none(),
                 nb::arg("sizes").noconvert(), nb::arg("n_labels"), nb::arg("smoothing"), nb::arg("scale"),
                 nb::keep_alive<0, 4>());
    bind_add_scores<float, float>(features);
    bind_add_scores<float, double>(features);
    bind_add_scores<double, float>(features);
    bind_add_scores<double, double>(features);
}

}  // namespace troenpy::matrix
