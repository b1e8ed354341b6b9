// The counts and labels of some documents.

#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
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

    // Appends documents without weights, which keep only their labels. If memory runs out, nothing has changed.
    void append(Documents &other) {
        const std::uint64_t n_documents = labels.n_documents(), n_codes = labels.codes.size();
        reserve_more(chunks, other.chunks.size());
        reserve_more(labels.codes, other.labels.codes.size());
        reserve_more(labels.starts, other.labels.n_documents());
        labels.codes.insert(labels.codes.end(), other.labels.codes.begin(), other.labels.codes.end());
        std::transform(other.labels.starts.begin() + 1, other.labels.starts.end(), std::back_inserter(labels.starts),
                       [&](std::uint64_t start) { return n_codes + start; });
        labels.n_classes = std::max(labels.n_classes, other.labels.n_classes);
        for (text::Chunk &chunk : other.chunks) {
            chunk.first_document += n_documents;
            chunks.push_back(std::move(chunk));
        }
        is_binary = other.is_binary;
        other.chunks.clear();
    }

private:
    // Doubles the room when it grows, as push_back does.
    template <typename T>
    static void reserve_more(std::vector<T> &values, std::size_t n) {
        if (values.size() + n > values.capacity()) values.reserve(std::max(values.size() + n, 2 * values.size()));
    }
};

}  // namespace troenpy::tally
