// A table of terms and the counts of each: all of a tally, or what one thread has counted of it.

#pragma once

#include <memory>

#include "tally/class_cells.hpp"
#include "text/term_table.hpp"

namespace troenpy::tally {

struct Shard {
    std::shared_ptr<text::TermTable> table = std::make_shared<text::TermTable>();
    ClassCells cells;

    bool has_documents(std::uint32_t term) const {
        return term < cells.n_terms() && cells.totals(term).n_documents > 0;
    }
};

}  // namespace troenpy::tally
