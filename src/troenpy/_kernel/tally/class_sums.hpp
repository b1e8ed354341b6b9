// The documents per term and class in the chunks of one worker: a few sums instead of many entries.
//
// The documents are taken class by class, and counted in one small counter per term, which stays in the cache.

#pragma once

#include <cstdint>
#include <vector>

#include "parallel.hpp"
#include "storage.hpp"
#include "tally/class_cells.hpp"
#include "tally/documents.hpp"

namespace troenpy::tally {

class ClassSums {
public:
    struct Total {
        std::uint64_t occurrences;
        std::uint32_t n_documents;
    };

    // Sums all chunks of a worker; documents count as one each.
    ClassSums(const Documents &documents, std::uint32_t worker, std::uint32_t n_terms, Watch &watch);

    std::uint32_t n_terms() const { return static_cast<std::uint32_t>(totals_.size()); }
    const Total &total(std::uint32_t term) const { return totals_[term]; }
    TermSums of(std::uint32_t term) const {
        const Total &total = totals_[term];
        return {total.n_documents, total.occurrences, sums_.data() + starts_[term], sums_.data() + starts_[term + 1]};
    }

private:
    struct Row {
        const text::Entry *begin, *end;
    };
    struct Touched {
        std::uint32_t term, count;
    };

    void sort_by_class(const Documents &documents, std::uint32_t worker);
    void add_totals(const Documents &documents, std::uint32_t worker);
    void count_class(std::size_t code);
    void write_by_term();

    std::vector<Total> totals_;
    std::vector<Row> rows_;              // class by class
    std::vector<std::size_t> row_ends_;  // of each class
    std::vector<std::uint32_t> counters_;
    Buffer<Touched> touched_;                // class by class
    std::vector<std::size_t> touched_ends_;  // of each class
    std::vector<std::uint64_t> starts_;
    Buffer<TermSums::Sum> sums_;  // term by term
};

}  // namespace troenpy::tally
