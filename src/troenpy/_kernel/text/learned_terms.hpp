// The terms that counting has found: their text and an index, when someone asks for them.

#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "text/term_index.hpp"
#include "text/vocabulary.hpp"

namespace troenpy::text {

class LearnedTerms {
public:
    // The columns are those of the terms of each worker, after dropping.
    LearnedTerms(Vocabulary vocabulary, std::vector<std::vector<std::uint32_t>> columns, bool has_words,
                 unsigned n_threads)
        : vocabulary_(std::move(vocabulary)),
          columns_(std::move(columns)),
          has_words_(has_words),
          n_threads_(n_threads) {}

    std::uint64_t size() const { return vocabulary_.size(); }

    void pack(std::vector<std::uint8_t> &text, std::vector<std::int64_t> &ends) const {
        vocabulary_.pack(text, ends, n_threads_);
    }

    // Made of the tables of the workers; nothing if most of their terms were dropped, or if it was taken before.
    std::shared_ptr<TermIndex> take_index() {
        if (columns_.empty()) return nullptr;
        const auto tables = vocabulary_.tables();
        const std::vector<std::vector<std::uint32_t>> columns = std::exchange(columns_, {});
        if (tables[0]->n_terms() / 2 > size()) {
            for (const auto &table : tables) table->close();
            return nullptr;
        }
        return std::make_shared<TermIndex>(tables, columns, size(), has_words_);
    }

private:
    Vocabulary vocabulary_;
    std::vector<std::vector<std::uint32_t>> columns_;
    bool has_words_;
    unsigned n_threads_;
};

}  // namespace troenpy::text
