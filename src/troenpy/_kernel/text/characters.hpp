// The character classes of the analyzer "text", and how they make tokens: the rules of characters.py, one character at
// a time.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace troenpy::text {

// In the order of LETTERS in characters.py.
enum class CharacterClass : std::uint8_t {
    separator,
    word,
    single,
    ascii_symbol,
    symbol,
    mark,
    non_joiner,
    joiner,
    tone,
    regional
};
constexpr std::size_t n_classes = 10;

constexpr std::size_t n_code_points = 0x110000;

// Sets the class of every code point. The first call counts; the table never changes afterwards.
void set_character_classes(const std::uint8_t *classes, std::size_t n);

// Throws if they have not been set.
const CharacterClass *character_classes();

// What the last character leaves behind: nothing, or a token of some kind that may go on. `joining` is a symbol after a
// zero-width joiner, `regional` the first half of a flag.
enum class TokenKind : std::uint8_t { none, word, single, symbol, joining, regional };
constexpr std::size_t n_token_states = 6;

struct Step {
    TokenKind next;
    bool begins;  // a new token; words need no such mark, because two never touch
};

constexpr Step next_step(TokenKind token, CharacterClass c) {
    const bool is_symbol = token == TokenKind::symbol || token == TokenKind::joining || token == TokenKind::regional;
    switch (c) {
        case CharacterClass::separator:
            return {TokenKind::none, false};
        case CharacterClass::word:
            return {TokenKind::word, false};
        case CharacterClass::single:
            return {TokenKind::single, true};
        case CharacterClass::ascii_symbol:
            return {TokenKind::symbol, true};
        case CharacterClass::symbol:
            return {TokenKind::symbol, token != TokenKind::joining};
        case CharacterClass::mark:
            return {is_symbol || token == TokenKind::none ? TokenKind::symbol : token, token == TokenKind::none};
        case CharacterClass::non_joiner:
            return {is_symbol ? TokenKind::symbol : token, false};
        case CharacterClass::joiner:
            return {is_symbol ? TokenKind::joining : token, false};
        case CharacterClass::tone:
            return {TokenKind::symbol, !is_symbol};
        case CharacterClass::regional:
            return token == TokenKind::regional ? Step{TokenKind::symbol, false} : Step{TokenKind::regional, true};
    }
    return {TokenKind::none, false};
}

constexpr auto token_steps = [] {
    std::array<std::array<Step, n_classes>, n_token_states> steps{};
    for (std::size_t token = 0; token < n_token_states; ++token) {
        for (std::size_t c = 0; c < n_classes; ++c)
            steps[token][c] = next_step(static_cast<TokenKind>(token), static_cast<CharacterClass>(c));
    }
    return steps;
}();

}  // namespace troenpy::text
