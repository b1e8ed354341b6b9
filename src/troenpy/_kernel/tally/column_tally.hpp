// A tally of rows with fixed columns.

#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "tally/batch.hpp"
#include "tally/counts.hpp"

namespace troenpy::tally {

class ColumnTally {
public:
    explicit ColumnTally(std::uint32_t n_columns) { cells_.resize(n_columns); }

    std::uint32_t n_columns() const { return cells_.n_terms(); }
    ClassCells &cells() { return cells_; }
    Waiting &waiting() { return waiting_; }

    void hold(Documents documents) { waiting_.hold(Batch(std::move(documents), {n_columns()})); }

    // Adds the batch that waits, if it belongs to a stream of n batches.
    void settle(std::uint64_t n, unsigned n_threads, Watch &watch) {
        if (!waiting_.belongs(n)) return;
        Batch &batch = *waiting_.batch();
        const auto itself = [](std::uint32_t, std::uint32_t column) { return column; };
        cells_.set_classes(batch.labels().n_classes);
        if (batch.should_sum()) {
            batch.add_sums(cells_, n_threads, watch, itself, itself);
        } else {
            batch.add_entries(cells_, watch, itself, itself);
        }
        waiting_.finish();
    }

    Counts counts(const std::vector<std::int32_t> &ranks) const {
        std::vector<std::uint32_t> columns(cells_.n_terms());
        std::iota(columns.begin(), columns.end(), 0u);
        return counts_of(cells_, columns, ranks);
    }

private:
    ClassCells cells_;
    Waiting waiting_;
};

}  // namespace troenpy::tally
