// Copies ASCII 64 bytes at a time, lowercased if requested, and marks the bytes of one kind.

#pragma once

#include <cstdint>

namespace troenpy::text {

enum class Mark { words, spaces };

// Copies 64 ASCII bytes and returns one bit per byte.
using BlockScan = std::uint64_t (*)(const std::uint8_t *from, std::uint8_t *to);

// The fastest version for this processor, or the portable one; all give the same result.
BlockScan choose_scan(Mark mark, bool lower, bool portable = false);

}  // namespace troenpy::text
