// The terms of a fitted vocabulary with their columns, to be found in new documents. Several threads may read it.

#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parallel.hpp"
#include "text/column_set.hpp"
#include "text/term_table.hpp"

namespace troenpy::text {

// Terms in the order of their columns: UTF-8 bytes, and where each term ends.
struct PackedTerms {
    const char *text;
    const std::int64_t *ends;
    std::uint64_t n_terms;

    std::string_view operator[](std::uint64_t i) const {
        const std::int64_t begin = i == 0 ? 0 : ends[i - 1];
        return {text + begin, static_cast<std::size_t>(ends[i] - begin)};
    }
};

class TermIndex {
public:
    // The columns of `frequent` terms are added first: close to each other, they stay in the cache.
    TermIndex(const PackedTerms &terms, bool has_words, const std::vector<std::string> &stop_words,
              std::span<const std::int64_t> frequent);

    // Takes over tables that have counted documents, with the columns of their terms: the first one gets the terms that
    // only the others have, which are closed.
    TermIndex(const std::vector<std::shared_ptr<TermTable>> &tables,
              const std::vector<std::vector<std::uint32_t>> &columns, std::uint64_t n_columns, bool has_words);

    const TermTable &table() const { return *table_; }
    std::uint64_t n_columns() const { return n_columns_; }
    // Whether n-grams are looked up word by word, as pairs.
    bool has_words() const { return has_words_; }

    // An empty set for one thread, with one column more for terms that have none. It is kept for the next call, since a
    // new one costs as much as many documents.
    std::unique_ptr<ColumnSet> take_columns();
    void give_back(std::unique_ptr<ColumnSet> columns);

private:
    void add_column(const PackedTerms &terms, std::uint64_t i);
    std::uint32_t add(std::string_view text, const char *end);
    std::uint32_t add_words(std::string_view text, const char *end);
    std::uint32_t add_pair(std::uint32_t first_words, std::uint32_t last_word);
    void add_table(const TermTable &table, const std::vector<std::uint32_t> &columns,
                   std::vector<std::uint32_t> &number_of);

    std::uint32_t &column(std::uint32_t number) { return table_->terms()[table_->n_excluded() + number].last_entry; }

    std::shared_ptr<TermTable> table_;  // the columns of its terms are in `last_entry`
    std::uint64_t n_columns_;
    bool has_words_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<ColumnSet>> free_columns_;
};

}  // namespace troenpy::text
