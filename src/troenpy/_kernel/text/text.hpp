// A view of a document in memory, without a copy: one of Python's four str layouts, or UTF-8 from Arrow.

#pragma once

#include <cstdint>

namespace troenpy::text {

enum class Form : std::uint8_t { ascii, latin1, ucs2, ucs4, utf8 };

struct Text {
    const void *data;
    std::uint64_t length;  // in code units of the form
    Form form;
};

inline std::uint64_t byte_length(const Text &text) {
    return text.length * (text.form == Form::ucs2 ? 2 : text.form == Form::ucs4 ? 4 : 1);
}

}  // namespace troenpy::text
