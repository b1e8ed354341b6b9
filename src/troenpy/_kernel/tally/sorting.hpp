// Sorts the terms of a table by their text, in the order of Python's str: that of their UTF-8 bytes.

#pragma once

#include <cstdint>
#include <vector>

#include "text/term_table.hpp"

namespace troenpy::tally {

// The table must not have pairs.
void sort_terms(std::vector<std::uint32_t> &terms, const text::TermTable &table, unsigned n_threads);

}  // namespace troenpy::tally
