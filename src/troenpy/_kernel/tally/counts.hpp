// The counts of a tally as arrays: per term, and per term and class as a CSC matrix with sorted classes.

#pragma once

#include <cstdint>
#include <vector>

#include "tally/class_cells.hpp"

namespace troenpy::tally {

struct Counts {
    std::vector<std::int64_t> n_documents;
    std::vector<double> weights, occurrences;
    std::vector<std::int64_t> indptr;
    std::vector<std::int32_t> classes;
    std::vector<double> counts;
};

// The counts of the given terms, in this order; ranks[code] is the place of a class in the result.
Counts counts_of(const ClassCells &cells, const std::vector<std::uint32_t> &terms,
                 const std::vector<std::int32_t> &ranks);

// The same as arrays that somebody else holds.
struct SavedCounts {
    const std::int64_t *n_documents;
    const double *weights, *occurrences;
    const std::int64_t *indptr;
    const std::int32_t *classes;
    const double *counts;
};

// Sets the counts of term number `term`, which has none yet, to those in column `column`.
void restore(ClassCells &cells, std::uint32_t term, const SavedCounts &saved, std::size_t column);

}  // namespace troenpy::tally
