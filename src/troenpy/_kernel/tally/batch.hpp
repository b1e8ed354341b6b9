// Documents that have been counted, but are not yet in the cells of a tally.
//
// A batch waits at first, because the caller may be interrupted before it takes note of the batch: only when the caller
// comes back and says that it belongs to the stream is it used, or else it is dropped. Adding to the cells can be
// interrupted, or run out of memory, after any term, and continues from there.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "parallel.hpp"
#include "tally/class_cells.hpp"
#include "tally/class_sums.hpp"
#include "tally/documents.hpp"

namespace troenpy::tally {

class Batch {
public:
    Batch() = default;
    // The numbers of terms are below n_terms[worker].
    Batch(Documents documents, std::vector<std::uint32_t> n_terms)
        : documents_(std::move(documents)), n_terms_(std::move(n_terms)), next_terms_(n_terms_.size()) {}

    Documents &documents() { return documents_; }
    const Labels &labels() const { return documents_.labels; }
    bool has_begun() const {
        return chunk_ > 0 || document_ > 0 || entry_ > 0 ||
               std::any_of(next_terms_.begin(), next_terms_.end(), [](std::uint32_t next) { return next > 0; });
    }

    // Whether the order of documents matters, because sums of weights are rounded.
    bool is_weighted() const { return !labels().weights.empty(); }

    std::size_t n_workers() const { return n_terms_.size(); }

    // Sums the documents of every worker; needed once, before `add_sums`.
    void sum(unsigned n_threads) {
        sums_.resize(n_terms_.size());
        run_tasks(n_threads, sums_.size(), [&](unsigned, std::size_t worker, Watch &watch) {
            if (sums_[worker]) return;
            sums_[worker] =
                std::make_unique<ClassSums>(documents_, static_cast<std::uint32_t>(worker), n_terms_[worker], watch);
        });
    }

    // Adds the sums of a worker; several may do so at the same time, each with cells of its own. number_of(term) is the
    // number of a term in the cells; guess(term) is the likely one, or a number beyond the cells.
    template <typename Number, typename Guess>
    void add_sums(ClassCells &cells, std::size_t worker, Watch &watch, Number &&number_of, Guess &&guess) {
        const ClassSums &sums = *sums_[worker];
        std::uint32_t &term = next_terms_[worker];
        for (; term < sums.n_terms(); ++term) {
            if (term % 4096 == 0) watch.check();
            if (term + 2 * ahead < sums.n_terms()) {
                cells.prefetch(guess(term + 2 * ahead));
                cells.prefetch_cell(guess(term + ahead), 0);
            }
            if (sums.total(term).n_documents > 0) cells.add(number_of(term), sums.of(term));
        }
    }

    // Adds entry by entry, in the order of documents.
    template <typename Number, typename Guess>
    void add_entries(ClassCells &cells, Watch &watch, Number &&number_of, Guess &&guess) {
        for (; chunk_ < documents_.chunks.size(); ++chunk_, document_ = 0, first_entry_ = 0) {
            const text::Chunk &from = documents_.chunks[chunk_];
            const text::Entry *const entries = from.entries.data();
            const std::uint64_t n_entries = size_of(from);
            for (; document_ < from.lengths.size(); ++document_, entry_ = 0) {
                watch.check();
                const Label label = labels().of(from.first_document + document_);
                const std::uint32_t code = label.begin < label.end ? *label.begin : 0;
                for (; entry_ < from.lengths[document_]; ++entry_) {
                    const std::uint64_t at = first_entry_ + entry_;
                    if (at + 2 * ahead < n_entries) {
                        cells.prefetch(guess(from.worker, entries[at + 2 * ahead].term));
                        cells.prefetch_cell(guess(from.worker, entries[at + ahead].term), code);
                    }
                    cells.add(number_of(from.worker, entries[at].term), documents_.count(entries[at]), label);
                }
                first_entry_ += from.lengths[document_];
            }
        }
    }

private:
    static constexpr std::uint32_t ahead = 12;  // terms, so that their cache misses overlap

    static std::uint64_t size_of(const text::Chunk &chunk) {
        return std::accumulate(chunk.lengths.begin(), chunk.lengths.end(), std::uint64_t{0});
    }

    Documents documents_;
    std::vector<std::uint32_t> n_terms_;
    std::vector<std::unique_ptr<ClassSums>> sums_;  // by worker
    std::vector<std::uint32_t> next_terms_;         // to be added, by worker
    // The next to be added: an entry of a document of a chunk.
    std::size_t chunk_ = 0, document_ = 0;
    std::uint32_t entry_ = 0;
    std::uint64_t first_entry_ = 0;  // of the document
};

// The batch that waits, and how many were added before it.
class Waiting {
public:
    Batch *batch() { return batch_ ? &*batch_ : nullptr; }

    // Keeps the batch.
    void hold(Batch batch) {
        if (n_documents_ + batch.labels().n_documents() > std::numeric_limits<std::uint32_t>::max())
            throw std::overflow_error("more than 2**32 - 1 documents in a stream");
        batch_.emplace(std::move(batch));
    }

    // Whether the batch belongs to a stream of n batches; it is dropped if that is the stream without it.
    bool belongs(std::uint64_t n) {
        if (!batch_ && n == n_batches_) return false;
        if (batch_ && n == n_batches_ + 1) return true;
        if (!batch_ || n != n_batches_ || batch_->has_begun())
            throw std::invalid_argument("this tally has other batches than the stream");
        batch_.reset();
        return false;
    }

    // The batch has been added.
    void finish() {
        n_documents_ += batch_->labels().n_documents();
        ++n_batches_;
        batch_.reset();
    }

    // For a tally that continues from saved counts.
    void start_with(std::uint64_t n_documents) { n_documents_ = n_documents; }

private:
    std::optional<Batch> batch_;
    std::uint64_t n_batches_ = 0, n_documents_ = 0;  // that were added
};

}  // namespace troenpy::tally
