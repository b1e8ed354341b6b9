// The counts of a tally as arrays: per term, and per term and class as a CSC matrix with sorted classes.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tally/class_cells.hpp"
#include "tally/shard.hpp"

namespace troenpy::tally {

struct Counts {
    std::vector<std::uint32_t> terms;         // their numbers in the first shard that has them
    std::vector<std::uint8_t> text;           // UTF-8
    std::vector<std::int64_t> ends;           // of the text of each term
    std::vector<std::int64_t> errors, order;  // with a bound
    std::vector<std::int64_t> n_documents;
    std::vector<double> weights, occurrences;
    std::vector<std::int64_t> indptr;
    std::vector<std::int32_t> classes;
    std::vector<double> counts;
};

// The sums of the counts of shards, for all terms that have documents, in order; ranks[code] is the place of a class in
// the result.
Counts merged_counts(const std::vector<std::unique_ptr<Shard>> &shards, const std::vector<std::int32_t> &ranks,
                     unsigned n_threads);

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
