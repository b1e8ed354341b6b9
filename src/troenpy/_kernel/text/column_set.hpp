// The counts of one row by column, read in ascending order without sorting.
//
// The columns of a row are set in a bitmap and then read in order. Two levels of summary bitmaps, with one bit for 64
// bits below, make it fast to skip zeros.

#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace troenpy::text {

constexpr std::uint32_t no_column = 0xFFFFFFFF;

class ColumnSet {
public:
    explicit ColumnSet(std::uint64_t n_columns)
        : bits_(n_columns / 64 + 1), groups_(bits_.size() / 64 + 1), counts_(n_columns), words_(bits_.size()) {
        if (groups_.size() > most_groups) regions_.resize(groups_.size() / 64 + 1);
    }

    std::uint64_t n_columns() const { return counts_.size(); }

    void add(std::uint32_t column, std::uint32_t count) {
        counts_[column] += count;
        set(bits_, column);
        set(groups_, column >> 6);
        if (!regions_.empty()) set(regions_, column >> 12);
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
            drain_word(bits_, words_[i], [&](std::size_t column) { body(column, std::exchange(counts_[column], 0)); });
        }
    }

private:
    // Up to this many words are scanned one by one; beyond that, only those whose summary bit is set.
    static constexpr std::size_t most_groups = 128;

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

}  // namespace troenpy::text
