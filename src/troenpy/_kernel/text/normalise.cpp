#include "text/normalise.hpp"

#include <algorithm>
#include <cstring>

#include "text/unicode.hpp"

namespace troenpy::text {

namespace {

constexpr std::uint64_t block_size = 64;

bool is_ascii_block(const std::uint8_t *units) {
    std::uint64_t all = 0;
    for (unsigned i = 0; i < block_size; i += 8) {
        std::uint64_t eight;
        std::memcpy(&eight, units + i, 8);
        all |= eight;
    }
    return (all & 0x8080808080808080u) == 0;
}

template <typename Unit>
bool is_ascii_block(const Unit *units) {
    Unit all = 0;
    for (unsigned i = 0; i < block_size; ++i) all |= units[i];
    return all < 0x80;
}

bool is_continuation(std::uint32_t byte) { return (byte & 0xC0) == 0x80; }

// Strict, like Python's decoder: no overlong forms, no surrogates, nothing above U+10FFFF.
std::uint32_t decode_utf8(const std::uint8_t *&at, const std::uint8_t *end) {
    const std::uint32_t first = *at++;
    if (first < 0x80) return first;
    const unsigned more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
    static constexpr std::uint32_t smallest[] = {0, 0x80, 0x800, 0x10000};
    if (first < 0xC2 || first > 0xF4 || static_cast<std::uint64_t>(end - at) < more) throw InvalidUtf8();
    std::uint32_t code_point = first & (0x3Fu >> more);
    for (unsigned i = 0; i < more; ++i) {
        if (!is_continuation(*at)) throw InvalidUtf8();
        code_point = code_point << 6 | (*at++ & 0x3Fu);
    }
    const bool surrogate = code_point >= 0xD800 && code_point < 0xE000;
    if (code_point < smallest[more] || surrogate || code_point > 0x10FFFF) throw InvalidUtf8();
    return code_point;
}

// The maximum number of bytes per code unit. Lowercase may need one byte more than uppercase: U+023A.
std::uint64_t growth(Form form) {
    switch (form) {
        case Form::ascii:
            return 1;
        case Form::latin1:
            return 2;
        case Form::utf8:
            return 2;
        case Form::ucs2:
            return 3;
        case Form::ucs4:
            return 4;
    }
    return 4;
}

void clear(Buffer<std::uint64_t> &bitmap, std::uint64_t n_words) {
    bitmap.reserve(n_words);
    std::memset(bitmap.data(), 0, n_words * sizeof(std::uint64_t));
}

unsigned utf8_length(std::uint32_t c) { return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4; }

}  // namespace

Normaliser::Normaliser(Mark mark, bool lower, bool portable)
    : mark_(mark),
      as_asked_{lower, choose_scan(mark, lower, portable)},
      as_is_{false, choose_scan(mark, false, portable)},
      classes_(mark == Mark::tokens ? character_classes() : nullptr) {}

bool Normaliser::read(const Text &text, Watch &watch) { return read_as(text, as_asked_, watch); }

void Normaliser::read_lowered(const Text &text, Watch &watch) { read_as(text, as_is_, watch); }

bool Normaliser::read_as(const Text &text, Case rule, Watch &watch) {
    prepare(text);
    const bool done = read_form(text, rule, watch);
    if (done) drop_single_characters();  // of Mark::words; other marks have none
    return done;
}

bool Normaliser::read_form(const Text &text, Case rule, Watch &watch) {
    const auto *bytes = static_cast<const std::uint8_t *>(text.data);
    const std::uint64_t n = text.length;
    switch (text.form) {
        case Form::ascii:
            return read_units<std::uint8_t, Form::ascii>(bytes, n, rule, watch);
        case Form::latin1:
            return read_units<std::uint8_t, Form::latin1>(bytes, n, rule, watch);
        case Form::utf8:
            return read_units<std::uint8_t, Form::utf8>(bytes, n, rule, watch);
        case Form::ucs2:
            return read_units<std::uint16_t, Form::ucs2>(static_cast<const std::uint16_t *>(text.data), n, rule, watch);
        case Form::ucs4:
            return read_units<std::uint32_t, Form::ucs4>(static_cast<const std::uint32_t *>(text.data), n, rule, watch);
    }
    return false;
}

void Normaliser::prepare(const Text &text) {
    const std::uint64_t most = text.length * growth(text.form) + 2 * block_size + padding;
    bytes_.reserve(most);
    clear(marks_, most / 64 + 2);
    if (mark_ == Mark::tokens) {
        clear(tokens_, most / 64 + 2);
        clear(begins_, most / 64 + 2);
        token_ = TokenKind::none;
    }
    if (text.form != Form::ascii) plane_ = basic_plane();
    size_ = 0;
    is_ascii_ = true;
    lone_starts_.clear();
}

template <typename Unit, Form form>
bool Normaliser::read_units(const Unit *units, std::uint64_t n, Case rule, Watch &watch) {
    constexpr std::uint64_t between_checks = 1 << 20;
    std::uint64_t next_check = between_checks;
    const Unit *unit = units;
    const Unit *end = units + n;
    while (end - unit >= static_cast<std::int64_t>(block_size)) {
        if (form == Form::ascii || is_ascii_block(unit)) {
            if constexpr (sizeof(Unit) == 1) {
                put_block(unit, block_size, rule.scan);
            } else {
                std::uint8_t packed[block_size];
                std::copy(unit, unit + block_size, packed);
                put_block(packed, block_size, rule.scan);
            }
            unit += block_size;
        } else if (!read_slowly<Unit, form>(unit, unit + block_size, end, rule.lower)) {
            return false;
        }
        if (static_cast<std::uint64_t>(unit - units) >= next_check) {
            watch.check();
            next_check += between_checks;
        }
    }
    if constexpr (form == Form::ascii) {
        std::uint8_t last[block_size] = {};
        std::memcpy(last, unit, static_cast<std::size_t>(end - unit));
        put_block(last, static_cast<std::uint64_t>(end - unit), rule.scan);
        return true;
    } else {
        return read_slowly<Unit, form>(unit, end, end, rule.lower);
    }
}

template <typename Unit, Form form>
bool Normaliser::read_slowly(const Unit *&unit, const Unit *until, const Unit *end, bool lower) {
    while (unit < until) {
        std::uint32_t code_point;
        if constexpr (form == Form::utf8) {
            code_point = decode_utf8(unit, end);
        } else {
            code_point = *unit++;
        }
        if (!put(code_point, lower)) return false;
    }
    return true;
}

void Normaliser::put_block(const std::uint8_t *from, std::uint64_t n, BlockScan scan) {
    const BlockBits bits = scan(from, bytes_.data() + size_);
    put_bits(marks_, bits.marked);
    if (mark_ == Mark::tokens) {
        put_bits(tokens_, ~bits.separators);
        put_bits(begins_, ~(bits.separators | bits.marked));  // every ASCII symbol is a token
        token_ = bits.marked >> 63 ? TokenKind::word : bits.separators >> 63 ? TokenKind::none : TokenKind::symbol;
    }
    size_ += n;
}

void Normaliser::put_bits(Buffer<std::uint64_t> &bitmap, std::uint64_t bits) {
    const std::uint64_t shift = size_ % 64;
    std::uint64_t *word = bitmap.data() + size_ / 64;
    word[0] |= bits << shift;
    if (shift != 0) word[1] |= bits >> (64 - shift);
}

bool Normaliser::put(std::uint32_t c, bool lower) {
    if (lower && (c == capital_sigma || c == capital_i_with_dot)) return false;
    const std::uint32_t about = c < 0x10000 ? plane_[c] : describe(c);
    if (mark_ == Mark::tokens) {
        put_token_character(lower ? about & lower_mask : c);
        return true;
    }
    const std::uint32_t mark =
        mark_ == Mark::words ? (lower ? lower_is_word : is_word) : (lower ? lower_is_space : is_space);
    const std::uint32_t out = lower ? about & lower_mask : c;
    const bool marked = (about & mark) != 0;
    if (out < 0x80) {
        put_bits(marks_, marked);
        bytes_[size_++] = static_cast<std::uint8_t>(out);
    } else {
        put_multibyte(out, marked);
    }
    return true;
}

void Normaliser::put_token_character(std::uint32_t c) {
    const Step step = token_steps[static_cast<std::size_t>(token_)][static_cast<std::size_t>(classes_[c])];
    token_ = step.next;
    const unsigned length = utf8_length(c);
    const std::uint64_t all_bytes = (1u << length) - 1;
    put_bits(tokens_, step.next == TokenKind::none ? 0 : all_bytes);
    put_bits(marks_, step.next == TokenKind::word ? all_bytes : 0);
    put_bits(begins_, step.begins);
    write(c, length);
}

void Normaliser::put_multibyte(std::uint32_t c, bool marked) {
    is_ascii_ = false;
    const unsigned length = utf8_length(c);
    if (marked) {
        if (mark_ == Mark::words && !follows_mark()) lone_starts_.push_back({size_, length});
        put_bits(marks_, (1u << length) - 1);
    }
    write(c, length);
}

// As UTF-8.
void Normaliser::write(std::uint32_t c, unsigned length) {
    std::uint8_t *to = bytes_.data() + size_;
    for (unsigned i = length - 1; i > 0; --i, c >>= 6) to[i] = static_cast<std::uint8_t>(0x80 | (c & 0x3F));
    static constexpr std::uint32_t lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    to[0] = static_cast<std::uint8_t>(lead[length] | c);
    size_ += length;
}

bool Normaliser::follows_mark() const {
    if (size_ == 0) return false;
    return marks_[(size_ - 1) / 64] >> ((size_ - 1) % 64) & 1;
}

// A word has at least two characters. A single byte is easy to detect later; a single multi-byte character is not.
void Normaliser::drop_single_characters() {
    for (const Character &character : lone_starts_) {
        const std::uint64_t after = character.begin + character.length;
        if (marks_[after / 64] >> (after % 64) & 1) continue;
        for (std::uint64_t at = character.begin; at < after; ++at) marks_[at / 64] &= ~(std::uint64_t{1} << (at % 64));
    }
}

}  // namespace troenpy::text
