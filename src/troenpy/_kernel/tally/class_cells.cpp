#include "tally/class_cells.hpp"

#include <bit>
#include <stdexcept>

namespace troenpy::tally {

namespace {

constexpr std::uint64_t most_cells = std::numeric_limits<std::uint32_t>::max();

}  // namespace

void ClassCells::set_totals(std::uint32_t term, double weight, double occurrences, std::uint32_t n_documents) {
    totals_[term].weight = weight;
    totals_[term].occurrences = occurrences;
    totals_[term].n_documents = n_documents;
}

void ClassCells::start_weights() {
    if (is_weighted_) return;
    weights_.reserve(n_used_);
    for (std::size_t at = 0; at < n_used_; ++at) weights_[at] = cells_[at].n_documents;
    is_weighted_ = true;
}

std::uint32_t ClassCells::new_cell(Totals &totals, std::uint32_t code) {
    if (!has_room(totals, 1)) move_to(totals, totals.size == 0 ? 1 : 2 * totals.size);
    ++totals.n_cells;
    const std::uint32_t at = free_cell(totals, code);
    cells_[at].code = code;
    return at;
}

std::uint32_t ClassCells::free_cell(const Totals &totals, std::uint32_t code) const {
    std::uint32_t at = code & (totals.size - 1);
    while (cells_[totals.block + at].code != no_code) at = (at + 1) & (totals.size - 1);
    return totals.block + at;
}

// For a term without cells that is about to get this many.
void ClassCells::make_room(Totals &totals, std::uint32_t n_cells) {
    if (n_cells > 0) move_to(totals, std::bit_ceil(n_cells));
}

void ClassCells::move_to(Totals &totals, std::uint32_t size) {
    Totals larger = totals;
    larger.size = size;
    larger.block = take(larger.size);
    for (std::uint32_t i = 0; i < totals.size; ++i) {
        const std::uint32_t from = totals.block + i;
        if (cells_[from].code == no_code) continue;
        const std::uint32_t to = free_cell(larger, cells_[from].code);
        cells_[to] = cells_[from];
        if (is_weighted_) weights_[to] = weights_[from];
    }
    release(totals);
    totals = larger;
}

std::uint32_t ClassCells::take(std::uint32_t size) {
    std::uint32_t &first_free = free_blocks_[static_cast<std::size_t>(std::countr_zero(size))];
    std::uint32_t block = first_free;
    if (block != no_block) {
        first_free = cells_[block].code;
    } else {
        if (n_used_ + size > most_cells) throw std::overflow_error("more than 2**32 - 1 pairs of a term and a class");
        cells_.reserve(n_used_ + size);
        if (is_weighted_) weights_.reserve(n_used_ + size);
        block = static_cast<std::uint32_t>(n_used_);
        n_used_ += size;
    }
    for (std::uint32_t at = block; at < block + size; ++at) {
        cells_[at] = {no_code, 0};
        if (is_weighted_) weights_[at] = 0.0;
    }
    return block;
}

// Free blocks of a size are a list: the first cell of each has the next one in place of its class.
void ClassCells::release(const Totals &totals) noexcept {
    if (totals.size == 0) return;
    std::uint32_t &first_free = free_blocks_[static_cast<std::size_t>(std::countr_zero(totals.size))];
    cells_[totals.block].code = first_free;
    first_free = totals.block;
}

}  // namespace troenpy::tally
