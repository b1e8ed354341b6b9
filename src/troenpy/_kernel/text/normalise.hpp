// Normalises a document to UTF-8, lowercase if requested, with one bit per byte that tells whether the byte
// belongs to a word (or to white space). For the analyzer "text" there are two bits more: whether the byte belongs to
// any token, and whether it is the first of a token that is not a word. All terms are cut from this form, so that equal terms have equal bytes
// whatever their source. A lone surrogate becomes the three bytes that UTF-8 would give it, so that byte order is
// the order of code points, which is the order of Python's str.

#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "parallel.hpp"
#include "storage.hpp"
#include "text/block.hpp"
#include "text/characters.hpp"
#include "text/text.hpp"

namespace troenpy::text {

class InvalidUtf8 : public std::exception {};

class Normaliser {
public:
    // Readers may read this far past the end of the bytes.
    static constexpr std::size_t padding = 64;

    Normaliser(Mark mark, bool lower, bool portable);

    // False if only Python can lowercase this document (see unicode.hpp); nothing is kept then.
    bool read(const Text &text, Watch &watch);

    // The same for a text that is already lowercase.
    void read_lowered(const Text &text, Watch &watch);

    const char *bytes() const { return reinterpret_cast<const char *>(bytes_.data()); }
    char *bytes() { return reinterpret_cast<char *>(bytes_.data()); }
    const std::uint64_t *marks() const { return marks_.data(); }
    const std::uint64_t *tokens() const { return tokens_.data(); }
    const std::uint64_t *begins() const { return begins_.data(); }
    std::uint64_t size() const { return size_; }
    bool is_ascii() const { return is_ascii_; }

private:
    struct Case {
        bool lower;
        BlockScan scan;
    };

    template <typename Unit, Form form>
    bool read_units(const Unit *units, std::uint64_t n, Case rule, Watch &watch);
    template <typename Unit, Form form>
    bool read_slowly(const Unit *&unit, const Unit *end, const Unit *stop, bool lower);
    bool read_as(const Text &text, Case rule, Watch &watch);
    bool read_form(const Text &text, Case rule, Watch &watch);
    void prepare(const Text &text);
    void put_block(const std::uint8_t *from, std::uint64_t n, BlockScan scan);
    void put_bits(Buffer<std::uint64_t> &bitmap, std::uint64_t bits);
    bool put(std::uint32_t code_point, bool lower);
    void put_token_character(std::uint32_t code_point);
    void put_multibyte(std::uint32_t code_point, bool marked);
    void write(std::uint32_t code_point, unsigned length);
    bool follows_mark() const;
    void drop_single_characters();

    Mark mark_;
    Case as_asked_;
    Case as_is_;
    Buffer<std::uint8_t> bytes_;
    Buffer<std::uint64_t> marks_;
    Buffer<std::uint64_t> tokens_, begins_;  // for Mark::tokens only
    const CharacterClass *classes_ = nullptr;
    TokenKind token_ = TokenKind::none;  // that the next character may continue
    const std::uint32_t *plane_ = nullptr;
    std::uint64_t size_ = 0;
    bool is_ascii_ = true;
    struct Character {
        std::uint64_t begin;
        unsigned length;
    };
    std::vector<Character> lone_starts_;  // multi-byte characters that begin a word
};

}  // namespace troenpy::text
