// The counts of one row by column, read in ascending order without sorting.
//
// The columns of a row are set in a bitmap and then read in order. Two levels of summary bitmaps, with one bit for 64
// bits below, make it fast to skip zeros.

#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "cpu.hpp"
#include "storage.hpp"

namespace troenpy::text {

constexpr std::uint32_t no_column = 0xFFFFFFFF;

class ColumnSet {
public:
    explicit ColumnSet(std::uint64_t n_columns)
        : has_bit_instructions_(cpu::has_bit_instructions()),
          bits_(n_columns / 64 + 1),
          groups_(bits_.size() / 64 + 1),
          counts_(n_columns) {
        if (groups_.size() > most_groups) regions_.resize(groups_.size() / 64 + 1);
        words_.reserve(bits_.size() + several);
        columns_.reserve(n_columns + several);
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
        const std::size_t n = has_bit_instructions_ ? list_columns_by_bits() : list_columns();
        for (std::size_t i = 0; i < n; ++i) body(columns_[i], std::exchange(counts_[columns_[i]], 0));
    }

private:
    // Up to this many words are scanned one by one; beyond that, only those whose summary bit is set.
    static constexpr std::size_t most_groups = 128;
    // So many positions are written at once, because the number of bits is hard to predict.
    static constexpr std::size_t several = 8, few = 2;

    static void set(std::vector<std::uint64_t> &bits, std::uint64_t i) { bits[i >> 6] |= std::uint64_t{1} << (i & 63); }

    // Moves the bits to columns_ and returns their number.
    TROENPY_ALWAYS_INLINE std::size_t list_columns() {
        // First the non-zero words: nested loops would be mispredicted.
        std::size_t n_words = 0;
        const auto list_group = [&](std::size_t group) { n_words = list<several>(groups_, group, words_, n_words); };
        if (regions_.empty()) {
            for (std::size_t group = 0; group < groups_.size(); ++group) list_group(group);
        } else {
            for (std::size_t region = 0; region < regions_.size(); ++region) {
                for (std::uint64_t rest = std::exchange(regions_[region], 0); rest != 0; rest &= rest - 1)
                    list_group(region * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
            }
        }
        std::size_t n_columns = 0;
        for (std::size_t i = 0; i < n_words; ++i) n_columns = list<few>(bits_, words_[i], columns_, n_columns);
        return n_columns;
    }

    // The same loops, with bit-counting instructions.
    TROENPY_TARGET_BITS std::size_t list_columns_by_bits() { return list_columns(); }

    // Appends the positions of the bits of a word, `step` at a time, and clears it. Those past the last may be anything.
    template <std::size_t step>
    TROENPY_ALWAYS_INLINE static std::size_t list(std::vector<std::uint64_t> &bits, std::size_t word,
                                                  Buffer<std::uint32_t> &positions, std::size_t n) {
        constexpr std::uint64_t highest_bit = std::uint64_t{1} << 63;  // no branch for zero
        std::uint64_t rest = std::exchange(bits[word], 0);
        const std::size_t n_after = n + static_cast<std::size_t>(std::popcount(rest));
        for (; n < n_after; n += step) {
            for (std::size_t k = 0; k < step; ++k, rest &= rest - 1)
                positions[n + k] = static_cast<std::uint32_t>(word * 64) +
                                   static_cast<std::uint32_t>(std::countr_zero(rest | highest_bit));
        }
        return n_after;
    }

    bool has_bit_instructions_;
    std::vector<std::uint64_t> bits_, groups_, regions_;
    std::vector<std::uint32_t> counts_;
    Buffer<std::uint32_t> words_, columns_;
};

}  // namespace troenpy::text
