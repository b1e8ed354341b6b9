#include "text/unicode.hpp"

#include <Python.h>

#include <memory>

namespace troenpy::text {

namespace {

bool matches_word(std::uint32_t c) { return Py_UNICODE_ISALNUM(static_cast<Py_UCS4>(c)) || c == '_'; }
bool matches_space(std::uint32_t c) { return Py_UNICODE_ISSPACE(static_cast<Py_UCS4>(c)); }

std::unique_ptr<std::uint32_t[]> make_basic_plane() {
    auto table = std::make_unique<std::uint32_t[]>(0x10000);
    for (std::uint32_t c = 0; c < 0x10000; ++c) table[c] = describe(c);
    return table;
}

}  // namespace

std::uint32_t describe(std::uint32_t c) {
    const auto lower = static_cast<std::uint32_t>(Py_UNICODE_TOLOWER(static_cast<Py_UCS4>(c)));
    return lower | (matches_word(c) ? is_word : 0) | (matches_space(c) ? is_space : 0) |
           (matches_word(lower) ? lower_is_word : 0) | (matches_space(lower) ? lower_is_space : 0);
}

const std::uint32_t *basic_plane() {
    static const auto table = make_basic_plane();
    return table.get();
}

}  // namespace troenpy::text
