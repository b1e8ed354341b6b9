#include "tally/class_sums.hpp"

#include <numeric>

namespace troenpy::tally {

namespace {

// Calls body(document, begin, end) for every document of the worker.
template <typename F>
void for_each_document(const Documents &documents, std::uint32_t worker, F &&body) {
    for (const text::Chunk &chunk : documents.chunks) {
        if (chunk.worker != worker) continue;
        const text::Entry *begin = chunk.entries.data();
        for (std::size_t i = 0; i < chunk.lengths.size(); ++i) {
            const text::Entry *const end = begin + chunk.lengths[i];
            body(chunk.first_document + i, begin, end);
            begin = end;
        }
    }
}

}  // namespace

ClassSums::ClassSums(const Documents &documents, std::uint32_t worker, std::uint32_t n_terms, Watch &watch)
    : totals_(n_terms), counters_(n_terms), starts_(n_terms + 1) {
    add_totals(documents, worker);
    sort_by_class(documents, worker);
    for (std::size_t code = 0; code < documents.labels.n_classes; ++code) {
        watch.check();
        count_class(code);
    }
    write_by_term();
}

void ClassSums::add_totals(const Documents &documents, std::uint32_t worker) {
    for_each_document(documents, worker, [&](std::size_t, const text::Entry *begin, const text::Entry *end) {
        for (; begin < end; ++begin) {
            totals_[begin->term].occurrences += documents.count(*begin);
            ++totals_[begin->term].n_documents;
        }
    });
}

void ClassSums::sort_by_class(const Documents &documents, std::uint32_t worker) {
    row_ends_.assign(documents.labels.n_classes + 1, 0);
    for_each_document(documents, worker, [&](std::size_t document, const text::Entry *, const text::Entry *) {
        const Label label = documents.labels.of(document);
        for (const std::uint32_t *code = label.begin; code < label.end; ++code) ++row_ends_[*code + 1];
    });
    std::partial_sum(row_ends_.begin(), row_ends_.end(), row_ends_.begin());
    rows_.resize(row_ends_.back());
    for_each_document(documents, worker, [&](std::size_t document, const text::Entry *begin, const text::Entry *end) {
        const Label label = documents.labels.of(document);
        for (const std::uint32_t *code = label.begin; code < label.end; ++code)
            rows_[row_ends_[*code]++] = {begin, end};
    });
}

void ClassSums::count_class(std::size_t code) {
    std::uint32_t *const counters = counters_.data();
    const std::size_t first = touched_ends_.empty() ? 0 : touched_ends_.back();
    std::size_t n = first;
    for (std::size_t i = code == 0 ? 0 : row_ends_[code - 1]; i < row_ends_[code]; ++i) {
        const Row &row = rows_[i];
        touched_.reserve(n + static_cast<std::size_t>(row.end - row.begin) + 1);
        for (const text::Entry *entry = row.begin; entry < row.end; ++entry) {
            touched_[n].term = entry->term;  // kept only if it is the first; no branch, which would be mispredicted
            n += counters[entry->term]++ == 0;
        }
    }
    for (std::size_t i = first; i < n; ++i) {
        const std::uint32_t term = touched_[i].term;
        touched_[i].count = counters[term];
        counters[term] = 0;
        ++starts_[term + 1];
    }
    touched_ends_.push_back(n);
}

void ClassSums::write_by_term() {
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    sums_.reserve(starts_.back());
    std::size_t i = 0;
    for (std::uint32_t code = 0; code < touched_ends_.size(); ++code) {
        for (; i < touched_ends_[code]; ++i) sums_[starts_[touched_[i].term]++] = {code, touched_[i].count};
    }
    for (std::size_t term = starts_.size() - 1; term > 0; --term) starts_[term] = starts_[term - 1];
    starts_[0] = 0;
    counters_ = {};
    touched_ = Buffer<Touched>();
    rows_ = {};
}

}  // namespace troenpy::tally
