// 64 bytes of ASCII at a time: copy them, in lower case if asked, and mark the bytes of one kind.

#pragma once

#include <cstdint>

namespace troenpy::text {

enum class Mark { words, spaces };

// Copies 64 ASCII bytes and returns one bit for each that is marked.
using BlockScan = std::uint64_t (*)(const std::uint8_t *from, std::uint8_t *to);

// The fastest version this processor runs; `portable` asks for the plain one, which the others must equal.
BlockScan choose_scan(Mark mark, bool lower, bool portable = false);

}  // namespace troenpy::text
