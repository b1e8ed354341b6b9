#include "text/block.hpp"

#include <array>

#include "cpu.hpp"

namespace troenpy::text {

namespace {

constexpr bool is_upper(unsigned c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_letter(unsigned c) { return is_upper(c & ~0x20u); }
constexpr bool is_digit(unsigned c) { return c >= '0' && c <= '9'; }

// As in Python's \s and str.isspace, 0x1C to 0x1F are white space.
constexpr bool is_marked(Mark mark, unsigned c) {
    return mark == Mark::spaces ? (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20)
                                : is_letter(c) || is_digit(c) || c == '_';
}

constexpr bool is_separator(unsigned c) { return c <= 0x20 || c == 0x7F; }

template <Mark mark>
constexpr std::array<std::uint8_t, 256> make_marks() {
    std::array<std::uint8_t, 256> marks{};
    for (unsigned c = 0; c < 128; ++c) marks[c] = is_marked(mark, c);
    return marks;
}

template <Mark mark, bool lower>
BlockBits portable_block(const std::uint8_t *from, std::uint8_t *to) {
    static constexpr auto marks = make_marks<mark>();
    BlockBits bits{0};
    for (unsigned i = 0; i < 64; ++i) {
        const std::uint8_t c = from[i];
        to[i] = lower && is_upper(c) ? c | 0x20 : c;
        bits.marked |= static_cast<std::uint64_t>(marks[c]) << i;
        if constexpr (mark == Mark::tokens) bits.separators |= static_cast<std::uint64_t>(is_separator(c)) << i;
    }
    return bits;
}

#if defined(TROENPY_X86)

// Signed comparisons work because ASCII has no sign bit.
TROENPY_TARGET_AVX2 inline __m256i between(__m256i c, char first, char last) {
    const __m256i at_least = _mm256_cmpgt_epi8(c, _mm256_set1_epi8(static_cast<char>(first - 1)));
    const __m256i at_most = _mm256_cmpgt_epi8(_mm256_set1_epi8(static_cast<char>(last + 1)), c);
    return _mm256_and_si256(at_least, at_most);
}

TROENPY_TARGET_AVX2 inline __m256i marked_words(__m256i c) {
    const __m256i letters = between(_mm256_or_si256(c, _mm256_set1_epi8(0x20)), 'a', 'z');
    const __m256i digits = between(c, '0', '9');
    const __m256i underscore = _mm256_cmpeq_epi8(c, _mm256_set1_epi8('_'));
    return _mm256_or_si256(_mm256_or_si256(letters, digits), underscore);
}

TROENPY_TARGET_AVX2 inline __m256i marked_spaces(__m256i c) {
    return _mm256_or_si256(between(c, 0x09, 0x0D), between(c, 0x1C, 0x20));
}

TROENPY_TARGET_AVX2 inline __m256i marked_separators(__m256i c) {
    const __m256i up_to_space = _mm256_cmpgt_epi8(_mm256_set1_epi8(0x21), c);
    return _mm256_or_si256(up_to_space, _mm256_cmpeq_epi8(c, _mm256_set1_epi8(0x7F)));
}

TROENPY_TARGET_AVX2 inline std::uint64_t to_bits(__m256i mask) {
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(mask));
}

TROENPY_TARGET_AVX2 inline __m256i to_lower(__m256i c) {
    return _mm256_or_si256(c, _mm256_and_si256(between(c, 'A', 'Z'), _mm256_set1_epi8(0x20)));
}

template <Mark mark, bool lower>
TROENPY_TARGET_AVX2 inline BlockBits avx2_half(const std::uint8_t *from, std::uint8_t *to) {
    const __m256i c = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from));
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(to), lower ? to_lower(c) : c);
    const std::uint64_t marked = to_bits(mark == Mark::spaces ? marked_spaces(c) : marked_words(c));
    return {marked, mark == Mark::tokens ? to_bits(marked_separators(c)) : 0};
}

template <Mark mark, bool lower>
TROENPY_TARGET_AVX2 BlockBits avx2_block(const std::uint8_t *from, std::uint8_t *to) {
    const BlockBits first = avx2_half<mark, lower>(from, to);
    const BlockBits second = avx2_half<mark, lower>(from + 32, to + 32);
    return {first.marked | second.marked << 32, first.separators | second.separators << 32};
}

#endif

template <Mark mark, bool lower>
BlockScan choose([[maybe_unused]] bool portable) {
#if defined(TROENPY_X86)
    if (!portable && cpu::has_avx2()) return avx2_block<mark, lower>;
#endif
    return portable_block<mark, lower>;
}

template <Mark mark>
BlockScan choose(bool lower, bool portable) {
    return lower ? choose<mark, true>(portable) : choose<mark, false>(portable);
}

}  // namespace

BlockScan choose_scan(Mark mark, bool lower, bool portable) {
    switch (mark) {
        case Mark::words:
            return choose<Mark::words>(lower, portable);
        case Mark::spaces:
            return choose<Mark::spaces>(lower, portable);
        case Mark::tokens:
            break;
    }
    return choose<Mark::tokens>(lower, portable);
}

}  // namespace troenpy::text
