// An inverted index over the rows of a sparse matrix, for similarities in float32.
//
// The similarity of rows x and y is s(x, y) = sum x_i y_i, or for Manhattan distances the sum of min(|x_i|,
// |y_i|) over the columns where x_i and y_i have the same sign. Both only involve shared columns, and with the
// size a(x) = sum x_i^2, or sum |x_i|,
//
//     a(x) + a(y) - 2 s(x, y)  =  sum (x_i - y_i)^2,  or  sum |x_i - y_i|.
//
// A rare column is a list of (row, value), added one by one. A frequent column is stored with its zeros, in tiles of
// 64 rows: vector instructions add a tile in the time of a few listed values. On 20 Newsgroups with its stop words, a
// BLAS product of only the columns that a tenth of the rows have took as long as this whole search.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "storage.hpp"

namespace troenpy::neighbors {

enum class Metric { euclidean, cosine, manhattan, hellinger };

inline bool is_manhattan(Metric metric) { return metric == Metric::manhattan; }

// Rows of a CSR matrix, with sorted column indices and no stored zeros.
struct SparseRow {
    const std::int32_t *columns;
    const double *values;
    std::size_t length;
};

struct SparseRows {
    const std::int64_t *borders;  // n_rows + 1
    const std::int32_t *columns;
    const double *values;
    std::size_t n_rows;

    SparseRow operator[](std::size_t row) const {
        const auto begin = static_cast<std::size_t>(borders[row]);
        return {columns + begin, values + begin, static_cast<std::size_t>(borders[row + 1]) - begin};
    }
};

// Throws unless every row lies within n_stored values, and its column indices are sorted and below n_columns.
void check_rows(const SparseRows &rows, std::size_t n_stored, std::size_t n_columns);

// One value of a query: its dense column or its list, and the value.
struct Term {
    std::uint32_t place;
    float value;
};

struct Posting {
    std::uint32_t row;
    float value;
};

struct Terms {
    std::vector<Term> dense, listed;

    void clear() {
        dense.clear();
        listed.clear();
    }
};

// The terms of a query in two parts. The `minor` terms cost the most for what they contribute: scores without them are
// often good enough.
struct QueryTerms {
    Terms major, minor;
    double minor_size;  // a(x) of the minor terms only
};

class Postings {
public:
    static constexpr std::size_t rows_per_tile = 64;

    // Values are divided by 2^exponent, so that the float32 values are at most 1.
    Postings(const SparseRows &rows, std::size_t n_columns, Metric metric, int exponent);

    // The terms of a query that some row has, divided by 2^exponent; the minor ones have a size of at most `budget`.
    void find_terms(const SparseRow &query, int exponent, double budget, QueryTerms &terms) const;

    // Adds the similarities of the terms to every row to scores[row], n_padded() of them; for many queries, tile by
    // tile.
    void add_dense(const Terms &terms, std::size_t tile, float *scores) const;
    void add_listed(const Terms &terms, float *scores) const;

    // At least n rows from the list of the term with the most weight for its length; empty if there is no such term.
    std::span<const Posting> telling_list(const Terms &terms, std::size_t n) const;

    std::size_t n_tiles() const { return n_tiles_; }

    std::size_t n_padded() const { return n_tiles_ * rows_per_tile; }

private:
    using AddTerms = void (*)(float *scores, const float *tile, const Term *terms, std::size_t n_terms);

    struct Column {
        std::uint64_t list_begin;
        std::uint32_t n_rows;
        std::uint32_t dense_place;  // no_place: the column is a list
    };

    void add_term(const Term &term, Terms &terms) const;

    bool manhattan_;
    AddTerms add_terms_;
    std::size_t n_tiles_;
    std::size_t n_dense_ = 0;
    std::vector<Column> columns_;
    Buffer<Posting> lists_;
    std::vector<float> tiles_;  // by tile, dense column, row of the tile
};

// One bit per row of a tile: whether  sizes - factor * scores - (by_root * roots + by_size * sizes + constant)
// <= limit, or is NaN. See `Estimate` in nearest.hpp.
struct Estimate {
    float factor, by_root, by_size, constant;
};
using FindNear = std::uint64_t (*)(const float *scores, const float *sizes, const float *roots,
                                   const Estimate &estimate, float limit);
FindNear choose_find_near();

// Whether any score of a tile is at least the bar, or NaN.
using Reaches = bool (*)(const float *scores, float bar);
Reaches choose_reaches();

}  // namespace troenpy::neighbors
