// Sorts the terms of a table by their text, in the order of Python's str: that of their UTF-8 bytes.

#pragma once

#include <cstdint>
#include <vector>

#include "text/term_table.hpp"

namespace troenpy::tally {

struct SortedTerms {
    std::vector<std::uint32_t> terms;
    std::vector<std::uint8_t> text;  // of all terms
    std::vector<std::int64_t> ends;  // where the text of each term ends
};

// The table must not have pairs.
SortedTerms sort_terms(const std::vector<std::uint32_t> &terms, const text::TermTable &table, unsigned n_threads);

}  // namespace troenpy::tally
