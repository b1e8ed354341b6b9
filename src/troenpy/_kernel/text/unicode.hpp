// What the running Python knows about a code point: its lowercase, and whether `\w` and `\s` match it.

#pragma once

#include <cstdint>

namespace troenpy::text {

// str.lower() is one-to-one except for these two: the first becomes two code points, the second depends on
// its neighbours. Documents with them are lowercased by Python itself.
constexpr std::uint32_t capital_i_with_dot = 0x0130;
constexpr std::uint32_t capital_sigma = 0x03A3;

constexpr std::uint32_t is_word = 1u << 31;
constexpr std::uint32_t is_space = 1u << 30;
constexpr std::uint32_t lower_is_word = 1u << 29;
constexpr std::uint32_t lower_is_space = 1u << 28;
constexpr std::uint32_t lower_mask = (1u << 21) - 1;

// The lowercase of a code point in the low bits, and the properties of both.
std::uint32_t describe(std::uint32_t code_point);

// The same as a table for the basic plane, built on the first call in about a millisecond.
const std::uint32_t *basic_plane();

}  // namespace troenpy::text
