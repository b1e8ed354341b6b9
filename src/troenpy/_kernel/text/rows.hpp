// Writes the counts as a CSR matrix with sorted column indices.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "parallel.hpp"
#include "text/column_set.hpp"
#include "text/counter.hpp"

namespace troenpy::text {

// The column of every term of every worker.
struct Columns {
    std::uint32_t of(const Chunk &chunk, const Entry &entry) const {
        return matched ? entry.term : by_worker[chunk.worker][entry.term];
    }

    std::vector<std::vector<std::uint32_t>> by_worker;  // no_column: left out
    std::uint64_t n_columns;
    bool shared;           // whether several terms may have the same column
    bool complete;         // whether every term has a column
    bool matched = false;  // whether the entries of chunks are columns already, in ascending order
};

// Calls body(begin, end) with the entries of every document.
template <typename F>
void for_each_row(const Chunk &chunk, F &&body) {
    const Entry *entry = chunk.entries.data();
    for (const std::uint32_t length : chunk.lengths) {
        body(entry, entry + length);
        entry += length;
    }
}

class RowWriter {
public:
    RowWriter(const std::vector<Chunk> &chunks, const Columns &columns, unsigned n_threads)
        : chunks_(chunks), columns_(columns), n_threads_(n_threads), sets_(useful_threads(n_threads, chunks.size())) {}

    // lengths[i + 1] is the number of columns in row i.
    void write_lengths(std::int64_t *lengths) {
        for_each_chunk([&](unsigned worker, const Chunk &chunk) {
            std::int64_t *next = lengths + chunk.first_document + 1;
            if (columns_.complete) {
                std::copy(chunk.lengths.begin(), chunk.lengths.end(), next);
                return;
            }
            for_each_row(chunk,
                         [&](const Entry *begin, const Entry *end) { *next++ = length(worker, chunk, begin, end); });
        });
    }

    // Returns the sum of all values.
    template <typename Index, typename Value>
    std::uint64_t write(const std::int64_t *borders, Index *indices, Value *values, bool binary) {
        std::atomic<std::uint64_t> total{0};
        for_each_chunk([&](unsigned worker, const Chunk &chunk) {
            std::int64_t at = borders[chunk.first_document];
            std::uint64_t sum = 0;
            const auto put = [&](std::size_t column, std::uint32_t count) {
                const std::uint32_t value = binary ? 1 : count;
                indices[at] = static_cast<Index>(column);
                values[at++] = static_cast<Value>(value);
                sum += value;
            };
            for_each_row(chunk, [&](const Entry *begin, const Entry *end) {
                if (columns_.matched) {
                    for (const Entry *entry = begin; entry < end; ++entry) put(entry->term, entry->count);
                } else {
                    filled(worker, chunk, begin, end).drain(put);
                }
            });
            total += sum;
        });
        return total;
    }

private:
    std::int64_t length(unsigned worker, const Chunk &chunk, const Entry *begin, const Entry *end) {
        std::int64_t length = 0;
        if (columns_.shared) {
            filled(worker, chunk, begin, end).drain([&](std::size_t, std::uint32_t) { ++length; });
            return length;
        }
        const std::vector<std::uint32_t> &column_of = columns_.by_worker[chunk.worker];
        for (const Entry *entry = begin; entry < end; ++entry) length += column_of[entry->term] != no_column;
        return length;
    }

    ColumnSet &filled(unsigned worker, const Chunk &chunk, const Entry *begin, const Entry *end) {
        if (!sets_[worker]) sets_[worker] = std::make_unique<ColumnSet>(columns_.n_columns);
        const std::vector<std::uint32_t> &column_of = columns_.by_worker[chunk.worker];
        for (const Entry *entry = begin; entry < end; ++entry) {
            const std::uint32_t column = column_of[entry->term];
            if (column != no_column) sets_[worker]->add(column, entry->count);
        }
        return *sets_[worker];
    }

    template <typename F>
    void for_each_chunk(F &&body) {
        run_tasks(n_threads_, chunks_.size(),
                  [&](unsigned worker, std::size_t i, Watch &) { body(worker, chunks_[i]); });
    }

    const std::vector<Chunk> &chunks_;
    const Columns &columns_;
    unsigned n_threads_;
    std::vector<std::unique_ptr<ColumnSet>> sets_;  // by worker
};

}  // namespace troenpy::text
