// Writes the counts as a CSR matrix with sorted column indices.
//
// Rows are not sorted. Instead, the columns of a row are set in a bitmap and then read in order. Two levels of
// summary bitmaps, with one bit for 64 bits below, make it fast to skip zeros.

#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "parallel.hpp"
#include "text/counter.hpp"
#include "text/vocabulary.hpp"

namespace troenpy::text {

class ColumnSet {
public:
    explicit ColumnSet(std::uint64_t n_columns)
        : bits_(n_columns / 64 + 1), groups_(bits_.size() / 64 + 1), counts_(n_columns), words_(bits_.size()) {
        if (groups_.size() > most_groups) regions_.resize(groups_.size() / 64 + 1);
    }

    void insert(std::uint32_t column, std::uint32_t count) {
        counts_[column] = count;
        mark(column);
    }

    // For a vocabulary in which several terms have the same column.
    void add(std::uint32_t column, std::uint32_t count) {
        const bool is_there = bits_[column >> 6] >> (column & 63) & 1;
        counts_[column] = (is_there ? counts_[column] : 0) + count;
        mark(column);
    }

    // Calls body(column, count) in ascending order, and empties the set.
    template <typename F>
    void drain(F &&body) {
        // First collect the non-zero words: nested loops would be mispredicted.
        std::size_t n_words = 0;
        const auto drain_group = [&](std::size_t group) {
            drain_word(groups_, group, [&](std::size_t word) { words_[n_words++] = static_cast<std::uint32_t>(word); });
        };
        if (regions_.empty()) {
            for (std::size_t group = 0; group < groups_.size(); ++group) drain_group(group);
        } else {
            for (std::size_t region = 0; region < regions_.size(); ++region) drain_word(regions_, region, drain_group);
        }
        for (std::size_t i = 0; i < n_words; ++i) {
            drain_word(bits_, words_[i], [&](std::size_t column) { body(column, counts_[column]); });
        }
    }

private:
    // Up to this many words are scanned one by one; beyond that, only those whose summary bit is set.
    static constexpr std::size_t most_groups = 128;

    void mark(std::uint32_t column) {
        set(bits_, column);
        set(groups_, column >> 6);
        if (!regions_.empty()) set(regions_, column >> 12);
    }

    static void set(std::vector<std::uint64_t> &bits, std::uint64_t i) { bits[i >> 6] |= std::uint64_t{1} << (i & 63); }

    template <typename F>
    static void drain_word(std::vector<std::uint64_t> &bits, std::size_t word, F &&body) {
        for (std::uint64_t rest = bits[word]; rest != 0; rest &= rest - 1)
            body(word * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
        bits[word] = 0;
    }

    std::vector<std::uint64_t> bits_, groups_, regions_;
    std::vector<std::uint32_t> counts_, words_;
};

// The column of every term of every worker.
struct Columns {
    std::vector<std::vector<std::uint32_t>> by_worker;  // no_column: left out
    std::uint64_t n_columns;
    bool shared;    // whether several terms may have the same column
    bool complete;  // whether every term has a column
};

// Hands out chunks to writers, which may start at different times; `stop` ends them all.
struct ChunkQueue {
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stop{false};
};

class RowWriter {
public:
    RowWriter(const std::vector<Chunk> &chunks, const Columns &columns, unsigned n_threads, ChunkQueue &queue)
        : chunks_(chunks),
          columns_(columns),
          n_threads_(n_threads),
          queue_(queue),
          sets_(useful_threads(n_threads, chunks.size())) {}

    // lengths[i + 1] is the number of columns in row i.
    void write_lengths(std::int64_t *lengths) {
        for_each_row([&](ColumnSet &set, std::uint64_t row, const Entry *begin, const Entry *end,
                         const std::vector<std::uint32_t> &column_of) {
            std::int64_t length = 0;
            if (columns_.complete) {
                length = end - begin;
            } else if (columns_.shared) {
                fill(set, begin, end, column_of);
                set.drain([&](std::size_t, std::uint32_t) { ++length; });
            } else {
                for (const Entry *entry = begin; entry < end; ++entry) length += column_of[entry->term] != no_column;
            }
            lengths[row + 1] = length;
        });
    }

    template <typename Index, typename Value>
    void write(const std::int64_t *borders, Index *indices, Value *values, bool binary) {
        for_each_row([&](ColumnSet &set, std::uint64_t row, const Entry *begin, const Entry *end,
                         const std::vector<std::uint32_t> &column_of) {
            fill(set, begin, end, column_of);
            std::int64_t at = borders[row];
            set.drain([&](std::size_t column, std::uint32_t count) {
                indices[at] = static_cast<Index>(column);
                values[at++] = binary ? Value{1} : static_cast<Value>(count);
            });
        });
    }

private:
    void fill(ColumnSet &set, const Entry *begin, const Entry *end, const std::vector<std::uint32_t> &column_of) const {
        for (const Entry *entry = begin; entry < end; ++entry) {
            const std::uint32_t column = column_of[entry->term];
            if (column == no_column) continue;
            if (columns_.shared) {
                set.add(column, entry->count);
            } else {
                set.insert(column, entry->count);
            }
        }
    }

    template <typename F>
    void for_each_row(F &&body) {
        run_tasks(n_threads_, chunks_.size(), [&](unsigned worker, std::size_t, Watch &) {
            if (queue_.stop) throw Stopped{};
            const std::size_t i = queue_.next++;
            if (i >= chunks_.size()) return;
            if (!sets_[worker]) sets_[worker] = std::make_unique<ColumnSet>(columns_.n_columns);
            const Chunk &chunk = chunks_[i];
            const Entry *entry = chunk.entries.data();
            for (std::size_t row = 0; row < chunk.lengths.size(); ++row) {
                const Entry *end = entry + chunk.lengths[row];
                body(*sets_[worker], chunk.first_document + row, entry, end, columns_.by_worker[chunk.worker]);
                entry = end;
            }
        });
    }

    const std::vector<Chunk> &chunks_;
    const Columns &columns_;
    unsigned n_threads_;
    ChunkQueue &queue_;
    std::vector<std::unique_ptr<ColumnSet>> sets_;
};

}  // namespace troenpy::text
