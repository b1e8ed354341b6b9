// Columns from a vocabulary that is given.
//
// Each of its terms is looked up in the tables of the workers. The terms of the documents are neither merged
// nor sorted nor spelt: that would cost more than the counting itself.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/counter.hpp"
#include "text/rows.hpp"

namespace troenpy::text {

// Terms and the columns they have, with a copy of their UTF-8 text.
class GivenTerms {
public:
    explicit GivenTerms(std::uint64_t n_columns) : n_columns_(n_columns) {}

    void add(std::string_view text, std::int64_t column) {
        text_.insert(text_.end(), text.begin(), text.end());
        ends_.push_back(text_.size());
        columns_.push_back(column);
    }

    // Readers may look this far beyond the end of a term. To be called once, after the last of them.
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

// The column as the matrix has it; std::invalid_argument if it is outside.
std::uint32_t checked_column(std::int64_t column, std::uint64_t n_columns);

// Whether one column is given to several terms that the documents have.
bool has_shared_columns(const std::vector<std::vector<std::uint32_t>> &by_worker, std::uint64_t n_columns);

Columns find_columns(Counter &counter, const GivenTerms &terms);

}  // namespace troenpy::text
