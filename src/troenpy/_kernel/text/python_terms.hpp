// Terms as Python has them: str objects, and dicts from them to columns.

#pragma once

#include <nanobind/nanobind.h>

#include "text/counts.hpp"

namespace troenpy::text {

// The dict of a vectorizer: every term that has a column.
nanobind::dict make_vocabulary(const TermCounts &counts);

// Gives the terms the columns they have in the dict, and none to those it lacks. Takes the counter's chunks.
CountedRows *match_vocabulary(Counter &counter, const nanobind::dict &vocabulary);

// Writes the keys of a dict whose values are 0, 1, 2, ... in any order to an array of objects, by value.
// False if the values are others; what the array holds then is of no use.
bool names_by_column(const nanobind::dict &vocabulary, nanobind::handle names);

}  // namespace troenpy::text
