// A document on its way to terms: UTF-8, in lower case if asked, with one bit per byte that says whether the
// byte belongs to a word (or to white space). All terms are cut from this one form, so that the same term has
// the same bytes wherever it comes from. A lone surrogate gets the three bytes that UTF-8 would give it; byte
// order is then the order of code points, which is the order of Python's str.

#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "parallel.hpp"
#include "storage.hpp"
#include "text/block.hpp"
#include "text/text.hpp"

namespace troenpy::text {

class InvalidUtf8 : public std::exception {};

class Normaliser {
public:
    // Readers of the bytes may look this far beyond their end.
    static constexpr std::size_t padding = 64;

    Normaliser(Mark mark, bool lower, bool portable);

    // False if only Python can lower-case this document (see unicode.hpp); then nothing of it is kept.
    bool read(const Text &text, Watch &watch);

    // The same for a text that is in lower case already.
    void read_lowered(const Text &text, Watch &watch);

    const char *bytes() const { return reinterpret_cast<const char *>(bytes_.data()); }
    char *bytes() { return reinterpret_cast<char *>(bytes_.data()); }
    const std::uint64_t *marks() const { return marks_.data(); }
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
    void put_marks(std::uint64_t bits);
    bool put(std::uint32_t code_point, bool lower);
    void put_multibyte(std::uint32_t code_point, bool marked);
    bool follows_mark() const;
    void drop_single_characters();

    Mark mark_;
    Case as_asked_;
    Case as_is_;
    Buffer<std::uint8_t> bytes_;
    Buffer<std::uint64_t> marks_;
    const std::uint32_t *plane_ = nullptr;
    std::uint64_t size_ = 0;
    bool is_ascii_ = true;
    struct Character {
        std::uint64_t begin;
        unsigned length;
    };
    std::vector<Character> lone_starts_;  // word characters of several bytes that begin a word
};

}  // namespace troenpy::text
