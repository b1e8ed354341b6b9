// Python's terms: str objects, and dicts that map them to columns.

#pragma once

#include <nanobind/nanobind.h>

#include "text/counts.hpp"

namespace troenpy::text {

// The vocabulary of a vectorizer: a dict of all terms and their columns.
nanobind::dict make_vocabulary(const PackedTerms &terms);

// Writes the terms to an array of objects.
void write_names(const PackedTerms &terms, nanobind::handle names);

// Assigns the columns in the dict to the terms; terms that are not in the dict get none. Takes over the counter's
// chunks.
CountedRows *match_vocabulary(Counter &counter, const nanobind::dict &vocabulary);

// Writes the keys of a dict whose values are 0, 1, 2, ... in any order to an array of objects, by value.
// Returns false for any other values; the content of the array is then undefined.
bool names_by_column(const nanobind::dict &vocabulary, nanobind::handle names);

}  // namespace troenpy::text
