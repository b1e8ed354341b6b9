#include "tally/counts.hpp"

#include <algorithm>

namespace troenpy::tally {

namespace {

constexpr std::size_t ahead = 12;  // terms, so that their cache misses overlap

}  // namespace

Counts counts_of(const ClassCells &cells, const std::vector<std::uint32_t> &terms,
                 const std::vector<std::int32_t> &ranks) {
    Counts result;
    result.n_documents.reserve(terms.size());
    result.weights.reserve(terms.size());
    result.occurrences.reserve(terms.size());
    result.indptr.reserve(terms.size() + 1);
    result.indptr.push_back(0);
    std::size_t n_cells = 0;
    for (const std::uint32_t term : terms) n_cells += cells.totals(term).n_cells;
    result.classes.reserve(n_cells);
    result.counts.reserve(n_cells);
    std::vector<std::pair<std::int32_t, double>> sorted;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const std::uint32_t term = terms[i];
        if (i + 2 * ahead < terms.size()) {
            cells.prefetch(terms[i + 2 * ahead]);
            cells.prefetch_cell(terms[i + ahead], 0);
        }
        const ClassCells::Totals &totals = cells.totals(term);
        result.n_documents.push_back(totals.n_documents);
        result.weights.push_back(totals.weight);
        result.occurrences.push_back(totals.occurrences);
        sorted.clear();
        cells.for_each_cell(term, [&](std::uint32_t code, double count) {
            if (count != 0) sorted.emplace_back(ranks[code], count);  // all its documents may weigh 0
        });
        std::sort(sorted.begin(), sorted.end());
        for (const auto &[rank, count] : sorted) {
            result.classes.push_back(rank);
            result.counts.push_back(count);
        }
        result.indptr.push_back(static_cast<std::int64_t>(result.classes.size()));
    }
    return result;
}

void restore(ClassCells &cells, std::uint32_t term, const SavedCounts &saved, std::size_t column) {
    cells.set_totals(term, saved.weights[column], saved.occurrences[column],
                     static_cast<std::uint32_t>(saved.n_documents[column]));
    for (std::int64_t at = saved.indptr[column]; at < saved.indptr[column + 1]; ++at)
        cells.add_to_cell(term, static_cast<std::uint32_t>(saved.classes[at]), saved.counts[at]);
}

}  // namespace troenpy::tally
