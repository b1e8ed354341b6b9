// Columns from a given vocabulary.
//
// Each term of the vocabulary is looked up in the tables of the workers. The terms of the documents are not
// merged, sorted or converted to text: that would cost more than counting them.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/counter.hpp"
#include "text/rows.hpp"

namespace troenpy::text {

// Terms with their columns, and a copy of their UTF-8 text.
class GivenTerms {
public:
    explicit GivenTerms(std::uint64_t n_columns) : n_columns_(n_columns) {}

    void add(std::string_view text, std::int64_t column) {
        text_.insert(text_.end(), text.begin(), text.end());
        ends_.push_back(text_.size());
        columns_.push_back(column);
    }

    // Readers may read this far past the end of a term. Call once, after adding the last term.
    void pad() { text_.resize(text_.size() + sizeof(Key)); }

    std::size_t size() const { return columns_.size(); }
    std::uint64_t n_columns() const { return n_columns_; }
    std::int64_t column(std::size_t i) const { return columns_[i]; }
    std::string_view text(std::size_t i) const {
        const std::uint64_t begin = i == 0 ? 0 : ends_[i - 1];
        return {text_.data() + begin, ends_[i] - begin};
    }

private:
    std::uint64_t n_columns_;
    std::vector<char> text_;
    std::vector<std::uint64_t> ends_;
    std::vector<std::int64_t> columns_;
};

// Converts a column number; throws std::invalid_argument if it is out of range.
std::uint32_t checked_column(std::int64_t column, std::uint64_t n_columns);

// Whether several terms of the documents have the same column.
bool has_shared_columns(const std::vector<std::vector<std::uint32_t>> &by_worker, std::uint64_t n_columns);

Columns find_columns(Counter &counter, const GivenTerms &terms);

}  // namespace troenpy::text
