// Copies ASCII 64 bytes at a time, lowercased if requested, and marks the bytes of one or two kinds.

#pragma once

#include <cstdint>

namespace troenpy::text {

enum class Mark { words, spaces, tokens };

// One bit per byte.
struct BlockBits {
    std::uint64_t marked;          // words, or spaces
    std::uint64_t separators = 0;  // white space and control characters, for Mark::tokens only
};

// Copies 64 ASCII bytes.
using BlockScan = BlockBits (*)(const std::uint8_t *from, std::uint8_t *to);

// The fastest version for this processor, or the portable one; all give the same result.
BlockScan choose_scan(Mark mark, bool lower, bool portable = false);

}  // namespace troenpy::text
