// The counts and labels of some documents.

#pragma once

#include <cstdint>
#include <vector>

#include "tally/class_cells.hpp"
#include "text/counter.hpp"

namespace troenpy::tally {

// The classes of documents, as codes below n_classes: those of document i are codes[starts[i]] to codes[starts[i + 1]].
struct Labels {
    std::vector<std::uint64_t> starts{0};
    std::vector<std::uint32_t> codes;
    std::vector<double> weights;  // empty: one each
    std::uint32_t n_classes = 0;

    std::size_t n_documents() const { return starts.size() - 1; }
    Label of(std::size_t i) const {
        return {codes.data() + starts[i], codes.data() + starts[i + 1], weights.empty() ? 1.0 : weights[i]};
    }
};

struct Documents {
    Labels labels;
    std::vector<text::Chunk> chunks;
    bool is_binary = false;  // every term counts once in a document

    std::uint32_t count(const text::Entry &entry) const { return is_binary ? 1 : entry.count; }
};

}  // namespace troenpy::tally
