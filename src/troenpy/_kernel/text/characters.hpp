// The character classes of the analyzer "text", and how they make tokens: the rules of characters.py, one character at
// a time.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace troenpy::text {

// In the order of LETTERS in characters.py.
enum class Class : std::uint8_t {
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
const Class *character_classes();

// What the last character leaves behind: nothing, or a token of some kind that may go on. `joining` is a symbol after a
// zero-width joiner, `regional` the first half of a flag.
enum class Token : std::uint8_t { none, word, single, symbol, joining, regional };
constexpr std::size_t n_token_states = 6;

struct Step {
    Token next;
    bool begins;  // a new token; words need no such mark, because two never touch
};

constexpr Step next_step(Token token, Class c) {
    const bool is_symbol = token == Token::symbol || token == Token::joining || token == Token::regional;
    switch (c) {
        case Class::separator:
            return {Token::none, false};
        case Class::word:
            return {Token::word, false};
        case Class::single:
            return {Token::single, true};
        case Class::ascii_symbol:
            return {Token::symbol, true};
        case Class::symbol:
            return {Token::symbol, token != Token::joining};
        case Class::mark:
            return {is_symbol || token == Token::none ? Token::symbol : token, token == Token::none};
        case Class::non_joiner:
            return {is_symbol ? Token::symbol : token, false};
        case Class::joiner:
            return {is_symbol ? Token::joining : token, false};
        case Class::tone:
            return {Token::symbol, !is_symbol};
        case Class::regional:
            return token == Token::regional ? Step{Token::symbol, false} : Step{Token::regional, true};
    }
    return {Token::none, false};
}

constexpr auto token_steps = [] {
    std::array<std::array<Step, n_classes>, n_token_states> steps{};
    for (std::size_t token = 0; token < n_token_states; ++token) {
        for (std::size_t c = 0; c < n_classes; ++c)
            steps[token][c] = next_step(static_cast<Token>(token), static_cast<Class>(c));
    }
    return steps;
}();

}  // namespace troenpy::text
