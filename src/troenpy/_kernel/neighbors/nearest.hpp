// The exact k nearest rows of a sparse matrix: float32 finds the candidates, float64 decides.
//
// The result is defined in float64. With S = sum (x_i - y_i)^2, or sum |x_i - y_i|, summed over the columns of either
// row in ascending order, a distance is
//
//     euclidean  sqrt(S)
//     cosine     S / 2          rows have length 1; a row of zeros has distance 1 from every row
//     manhattan  S
//     hellinger  sqrt(S / 2)    rows are square roots of l1-normalised rows
//
// and distances of several blocks of columns are added in order. The nearest rows have the smallest distances; ties go
// to the lower row number. This is brute force; the following only skips rows that cannot be among the nearest.
//
// For every row y, an interval [least, most] is computed that contains its distance. If `limit` is the k-th smallest
// `most`, then k rows have distances of at most `limit`. So each of the k nearest has a distance, and hence a `least`,
// of at most `limit`. Exactly these rows are measured in float64.
//
// THE INTERVAL. Sizes a(x), a(y) and the similarity s(x, y) are defined in postings.hpp. Let
//
//     A     a power of two, at least the size of every row
//     u     2^-24, the rounding of float32
//     g(n)  n u / (1 - n u), the relative error of n roundings
//     r     sqrt(a(y) / A)
//     X     sqrt(a(x) / A)
//     n     the number of columns that x and y share: at most min(n_x, largest n_y), for rows of n_x and n_y values
//     K     (a(y) - 2 s(x, y)) / A, which is (S - a(x)) / A
//
// Since a(x) is the same for all rows, K orders them as S does. K is what is computed in float32.
//
// 1. Values are scaled by powers of two to at most 1 (or 2), then rounded to float32, with a relative error of at most
//    u, plus 2^-126 if they are too small for float32, even if the processor flushes such numbers to 0. Then follow
//    products or minima of two values, and n additions in any order, fused or not. So the error of the score is at
//    most g(n + 2) sum |x_i y_i|, or g(n + 2) sum min(|x_i|, |y_i|), plus n 2^-123.
// 2. sum |x_i y_i| <= sqrt(a(x) a(y)) by Cauchy-Schwarz, and
//    sum min(|x_i|, |y_i|) <= min(a(x), a(y)) <= sqrt(a(x) a(y)).
//    So factor * score, where factor is 2 / A with the scaling undone (a power of two, exact), is within
//    2 g(n + 2) X r + factor n 2^-123 of 2 s / A.
// 3. Rounding a(y) / A to float32, the product, the difference and the subtraction of the margin add at most
//    4 u a(y) / A + 8 u X r. The margin is itself computed in float32 from five rounded numbers, a factor within
//    1 +- 8 u.
// 4. The error of the float64 sums S, a(x) and a(y) is at most w (a(x) + a(y)) with w = (n_x + n_y + 16) 2^-51. This
//    covers that two values of S that differ by less than two roundings may have the same root. If squares fall below
//    2^-1022, the error is less than 2^-80 A, because 2^-900 <= A <= 2^900 is required.
//
// Together, if n <= 2^22, the computed K is within by_root r + by_size a(y) / A + constant of K, with
//
//     by_root   =  2 (g(n + 12) X + M) (1 + 2^-16)
//     by_size   =  (5 u + w) (1 + 2^-16)
//     constant  =  (w X^2 + L + factor n 2^-120 + 2^-80) (1 + 2^-16)
//
// where M = L = 0 if all terms were added.
//
// 5. Terms may be left out of a score. If the part m of x that is left out has size a(m), the score is too low by at
//    most sqrt(a(m) a(y)) by step 2, so M = sqrt(a(m) / A) and L = 0. A Manhattan score is too low by at most a(m), so
//    M = 0 and L = 2 a(m) / A.
// 6. A tile of rows can be skipped by its scores alone: the smallest of its sizes, minus the largest of its margins,
//    minus `limit`, divided by factor, is the bar that a score must reach. It is computed in float64, whose rounding
//    errors are far below the 2^-16 by which margins are inflated, then rounded down to float32.
//
// At first, terms of up to a hundredth of the query are left out, those with the longest lists for their weight. They
// are only added if the intervals leave too many candidates. If a requirement fails (A out of range, factor >= 2^100,
// n > 2^22), all rows are measured.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cpu.hpp"
#include "neighbors/postings.hpp"
#include "parallel.hpp"

namespace troenpy::neighbors {

struct Neighbor {
    double distance;
    std::uint32_t row;

    bool operator<(const Neighbor &other) const {
        return distance != other.distance ? distance < other.distance : row < other.row;
    }
};

// The training rows of one block of columns, and the data for bounding their distances.
class Space {
public:
    // What is known about a query before its scores are computed.
    struct Bounds {
        Estimate by_major, by_all;  // from the scores of the major terms, and of all
        double own_size;            // a(x) / A
        bool is_known;              // if false, every row must be measured
    };

    Space(SparseRows rows, std::size_t n_columns, Metric metric);

    Bounds prepare(const SparseRow &query, QueryTerms &terms) const;

    // Adds the lower and upper bound of the distance of each row.
    void add_intervals(const Estimate &estimate, double own_size, const float *scores, double *least,
                       double *most) const;

    // Adds the distances from the query to some rows.
    void add_distances(const SparseRow &query, Neighbor *neighbors, std::size_t n) const;

    TROENPY_ALWAYS_INLINE void prefetch(std::size_t row) const {
        const SparseRow entries = rows_[row];
        cpu::prefetch(entries.columns);
        cpu::prefetch(entries.values);
        cpu::prefetch(entries.values + 8);
    }

    std::size_t n_rows() const { return rows_.n_rows; }
    std::size_t n_columns() const { return n_columns_; }
    const Postings &postings() const { return *postings_; }
    const float *sizes() const { return sizes_.data(); }
    const float *roots() const { return roots_.data(); }

    // The smallest and the largest size of the rows of a tile.
    struct Sizes {
        float least, most;

        bool operator==(const Sizes &) const = default;
    };
    const Sizes &tile_sizes(std::size_t tile) const { return tile_sizes_[tile]; }

private:
    SparseRows rows_;
    std::size_t n_columns_;
    Metric metric_;
    bool is_ranged_ = false;  // A is in range
    int exponent_ = 0;        // of the largest value
    int size_exponent_ = 0;   // A = 2^size_exponent
    std::size_t longest_ = 0;
    std::vector<float> sizes_;  // a(y) / A, padded with a value larger than that of any row
    std::vector<float> roots_;  // r(y)
    std::vector<Sizes> tile_sizes_;
    std::unique_ptr<Postings> postings_;
};

struct Search {
    std::vector<SparseRows> queries;  // by space
    std::size_t n_neighbors;
    bool skips_own_row;  // query i is row i, and must not be its own neighbour
    unsigned n_threads;
    double *distances;  // n_queries x n_neighbors
    std::int64_t *rows;
};

void find_nearest(const std::vector<Space> &spaces, const Search &search);

}  // namespace troenpy::neighbors
