// What a finished count can be asked: how many documents have a term, which terms get which column, the
// matrix.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "counter.hpp"
#include "rows.hpp"
#include "vocabulary.hpp"

namespace troenpy {

class TermCounts {
public:
    TermCounts(const TermCounts &) = delete;
    TermCounts &operator=(const TermCounts &) = delete;
    // Takes the chunks and tables of the counter.
    TermCounts(Counter &counter, bool sorted)
        : n_threads_(counter.n_threads()),
          n_documents_(counter.n_documents()),
          vocabulary_(counter, sorted),
          chunks_(std::move(counter.chunks())),
          columns_(vocabulary_.size()) {
        for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i] = static_cast<std::uint32_t>(i);
        n_columns_ = columns_.size();
    }

    std::uint64_t n_documents() const { return n_documents_; }
    const Vocabulary &vocabulary() const { return vocabulary_; }
    std::uint64_t n_columns() const { return n_columns_; }
    const std::vector<std::uint32_t> &columns() const { return columns_; }

    // The column of every term; no_column leaves it out.
    void set_columns(std::vector<std::uint32_t> columns, std::uint64_t n_columns, bool shared = false) {
        columns_ = std::move(columns);
        n_columns_ = n_columns;
        columns_shared_ = shared;
    }

    std::vector<std::int64_t> occurrences() const {
        std::vector<std::int64_t> totals(vocabulary_.size(), 0);
        for (const Chunk &chunk : chunks_) {
            const std::vector<std::uint32_t> &places = vocabulary_.places(chunk.worker);
            std::uint64_t n_entries = 0;
            for (const std::uint32_t length : chunk.lengths) n_entries += length;
            for (std::uint64_t i = 0; i < n_entries; ++i)
                totals[places[chunk.entries[i].term]] += chunk.entries[i].count;
        }
        return totals;
    }

    template <typename Index>
    void write_row_borders(Index *indptr) const {
        indptr[0] = 0;
        RowWriter(chunks_, columns_by_worker(), n_threads_).write_lengths(indptr);
        for (std::uint64_t row = 0; row < n_documents_; ++row) indptr[row + 1] += indptr[row];
    }

    template <typename Index, typename Value>
    void write_rows(const Index *indptr, Index *indices, Value *values, bool binary) const {
        RowWriter(chunks_, columns_by_worker(), n_threads_).write(indptr, indices, values, binary);
    }

private:
    Columns columns_by_worker() const {
        Columns result{std::vector<std::vector<std::uint32_t>>(n_threads_), n_columns_, columns_shared_};
        for (unsigned worker = 0; worker < n_threads_; ++worker) {
            for (const std::uint32_t place : vocabulary_.places(worker)) {
                result.by_worker[worker].push_back(place == no_column ? no_column : columns_[place]);
            }
        }
        return result;
    }

    unsigned n_threads_;
    std::uint64_t n_documents_;
    Vocabulary vocabulary_;
    std::vector<Chunk> chunks_;
    std::vector<std::uint32_t> columns_;
    std::uint64_t n_columns_ = 0;
    bool columns_shared_ = false;
};

}  // namespace troenpy
