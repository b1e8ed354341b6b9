// Terms as Python has them: str objects, and dicts from them to columns.

#pragma once

#include <nanobind/nanobind.h>

#include "counts.hpp"

namespace troenpy {

// The dict of a vectorizer: every term that has a column.
nanobind::dict make_vocabulary(const TermCounts &counts);

// Gives the terms the columns they have in the dict, and none to those it lacks. Takes the counter's chunks.
CountedRows *match_vocabulary(Counter &counter, const nanobind::dict &vocabulary);

// The keys of a dict whose values are 0, 1, 2, ... in any order, by value; None if they are not. The dict
// itself, whose keys can be iterated over, if they stand in that order.
nanobind::object keys_by_column(const nanobind::dict &vocabulary);

}  // namespace troenpy
