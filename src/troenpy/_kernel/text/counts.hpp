// The result of counting: document frequencies, the column of each term, and the matrix.

#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "text/counter.hpp"
#include "text/learned_terms.hpp"
#include "text/rows.hpp"
#include "text/vocabulary.hpp"

namespace troenpy::text {

// The entries of a counter with an index are columns.
inline Columns matched_columns(const Counter &counter) { return {{}, counter.index()->n_columns(), false, true, true}; }

// The counts of all documents, and the column of every term.
class CountedRows {
public:
    // Takes over the chunks of the counter.
    CountedRows(Counter &counter, Columns columns)
        : n_threads_(counter.n_threads()),
          n_documents_(counter.n_documents()),
          chunks_(std::move(counter.chunks())),
          columns_(std::move(columns)) {}
    CountedRows(const CountedRows &) = delete;
    CountedRows &operator=(const CountedRows &) = delete;

    std::uint64_t n_documents() const { return n_documents_; }
    std::uint64_t n_columns() const { return columns_.n_columns; }

    const std::vector<Chunk> &chunks() const { return chunks_; }
    // Whether the entries of chunks are columns already, in ascending order.
    bool is_matched() const { return columns_.matched; }

    std::vector<std::int64_t> occurrences() const {
        std::vector<std::int64_t> totals(n_columns(), 0);
        for (const Chunk &chunk : chunks_) {
            const auto n_entries = std::accumulate(chunk.lengths.begin(), chunk.lengths.end(), std::uint64_t{0});
            for (std::uint64_t i = 0; i < n_entries; ++i) {
                const std::uint32_t column = columns_.of(chunk, chunk.entries[i]);
                if (column != no_column) totals[column] += chunk.entries[i].count;
            }
        }
        return totals;
    }

    // The indptr of the CSR matrix. Not thread-safe.
    const std::vector<std::int64_t> &row_borders() {
        if (borders_.empty()) {
            std::vector<std::int64_t> borders(n_documents_ + 1);
            RowWriter(chunks_, columns_, n_threads_).write_lengths(borders.data());
            std::partial_sum(borders.begin(), borders.end(), borders.begin());
            borders_ = std::move(borders);
        }
        return borders_;
    }

    // Writes rows to their positions, which must be known; returns the sum of all values.
    template <typename Index, typename Value>
    std::uint64_t write_rows(Index *indices, Value *values, bool binary) const {
        return RowWriter(chunks_, columns_, n_threads_).write(borders_.data(), indices, values, binary);
    }

    unsigned n_threads() const { return n_threads_; }

protected:
    // The columns of the terms of each worker.
    std::vector<std::vector<std::uint32_t>> take_columns() {
        chunks_.clear();
        return std::move(columns_.by_worker);
    }

    // Column i becomes columns[i]; no_column drops it.
    void renumber(const std::vector<std::uint32_t> &columns, std::uint64_t n_columns) {
        for (std::vector<std::uint32_t> &by_term : columns_.by_worker) {
            for (std::uint32_t &column : by_term) {
                if (column != no_column) column = columns[column];
            }
        }
        columns_.n_columns = n_columns;
        columns_.complete = false;
        borders_.clear();
    }

private:
    unsigned n_threads_;
    std::uint64_t n_documents_;
    std::vector<Chunk> chunks_;
    Columns columns_;
    std::vector<std::int64_t> borders_;  // computed on first use
};

// The same with a vocabulary learned from the documents: one column per term, in order.
class TermCounts : public CountedRows {
public:
    explicit TermCounts(Counter &counter) : TermCounts(counter, Vocabulary(counter)) {}

    const Vocabulary &vocabulary() const { return vocabulary_; }

    // Drops terms and renumbers the others.
    void keep(const bool *kept) {
        std::vector<std::uint32_t> columns(vocabulary_.size(), no_column);
        std::uint32_t n_kept = 0;
        for (std::size_t term = 0; term < columns.size(); ++term) {
            if (kept[term]) columns[term] = n_kept++;
        }
        renumber(columns, n_kept);
        vocabulary_.keep(kept);
    }

    // Call last: the rows are gone.
    LearnedTerms *take_terms() {
        return new LearnedTerms(std::move(vocabulary_), take_columns(), has_words_, n_threads());
    }

private:
    TermCounts(Counter &counter, Vocabulary vocabulary)
        : CountedRows(counter, {vocabulary.take_places(), vocabulary.size(), false, true}),
          vocabulary_(std::move(vocabulary)),
          has_words_(counter.settings().has_words()) {}

    Vocabulary vocabulary_;
    bool has_words_;
};

}  // namespace troenpy::text
