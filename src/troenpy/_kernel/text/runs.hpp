// Where words, white space and tokens begin and end: finds the borders in the bits of Normaliser.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "cpu.hpp"
#include "text/normalise.hpp"

namespace troenpy::text {

// Collects the positions of bits, in order.
class Positions {
public:
    static constexpr std::size_t capacity = 512;

    std::size_t size() const { return size_; }
    bool is_full() const { return size_ >= capacity; }
    std::uint64_t operator[](std::size_t i) const { return values_[i]; }

    TROENPY_ALWAYS_INLINE void add(std::uint64_t bits, std::uint64_t base) {
        const auto n = static_cast<std::size_t>(std::popcount(bits));
        // Eight at a time, because the number of bits is hard to predict. Those past the last may be anything: with the
        // highest bit set, compilers need no branch for zero.
        for (std::size_t i = 0; i < n; i += 8) {
            for (std::size_t k = 0; k < 8; ++k) {
                values_[size_ + i + k] = base + static_cast<std::uint64_t>(std::countr_zero(bits | highest_bit));
                bits &= bits - 1;
            }
        }
        size_ += n;
    }

    // Drops the first n; at most one is left, of a run that goes on.
    void drop(std::size_t n) {
        if (n < size_) values_[0] = values_[n];
        size_ -= n;
    }

private:
    static constexpr std::uint64_t highest_bit = std::uint64_t{1} << 63;

    std::uint64_t values_[capacity + 64];
    std::size_t size_ = 0;
};

// Calls body(begin, end) for every run of marked bytes.
template <typename F>
TROENPY_ALWAYS_INLINE void for_each_run(const Normaliser &text, F &&body) {
    Positions edges;
    std::uint64_t last_bit = 0;
    const std::uint64_t *marks = text.marks();
    const std::uint64_t n_words = text.size() / 64 + 1;
    for (std::uint64_t word = 0; word < n_words; ++word) {
        edges.add(marks[word] ^ (marks[word] << 1 | last_bit), word * 64);
        last_bit = marks[word] >> 63;
        if (!edges.is_full() && word + 1 < n_words) continue;
        for (std::size_t i = 0; i + 1 < edges.size(); i += 2) body(edges[i], edges[i + 1]);
        edges.drop(edges.size() / 2 * 2);
    }
}

// Calls body(begin, end) for every token of the analyzer "text". A token begins where it is marked, or where a word
// begins; and ends where another begins, or where no token is.
template <typename F>
TROENPY_ALWAYS_INLINE void for_each_token(const Normaliser &text, F &&body) {
    Positions begins, ends;
    std::uint64_t last_in_word = 0, last_in_token = 0;
    const std::uint64_t n_words = text.size() / 64 + 1;
    for (std::uint64_t word = 0; word < n_words; ++word) {
        const std::uint64_t in_word = text.marks()[word], in_token = text.tokens()[word];
        const std::uint64_t begin = text.begins()[word] | (in_word & ~(in_word << 1 | last_in_word));
        begins.add(begin, word * 64);
        ends.add((in_token << 1 | last_in_token) & (begin | ~in_token), word * 64);
        last_in_word = in_word >> 63;
        last_in_token = in_token >> 63;
        if (!begins.is_full() && word + 1 < n_words) continue;
        const std::size_t n = ends.size();
        for (std::size_t i = 0; i < n; ++i) body(begins[i], ends[i]);
        begins.drop(n);
        ends.drop(n);
    }
}

}  // namespace troenpy::text
