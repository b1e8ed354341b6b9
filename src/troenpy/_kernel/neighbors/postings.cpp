#include "neighbors/postings.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "cpu.hpp"

namespace troenpy::neighbors {

namespace {

constexpr std::uint32_t no_place = 0xFFFFFFFF;
constexpr std::size_t tile = Postings::rows_per_tile;

// A column is dense if more than one row in this many has it: about the ratio of the cost of a listed to a dense value.
constexpr std::size_t rows_per_listed_value = 4;

// A term of a query that may be minor.
struct Priced {
    double size, size_per_cost;
    Term term;
};

// min(|x|, |y|) if the signs agree, otherwise 0; x is not 0.
inline float shared_part(float x, float y) {
    const float along = x < 0 ? -y : y;
    return std::min(std::abs(x), std::max(along, 0.0f));
}

template <bool manhattan>
void portable_add_terms(float *scores, const float *values, const Term *terms, std::size_t n_terms) {
    for (std::size_t t = 0; t < n_terms; ++t) {
        const float x = terms[t].value;
        const float *y = values + terms[t].place * tile;
        for (std::size_t i = 0; i < tile; ++i) scores[i] += manhattan ? shared_part(x, y[i]) : x * y[i];
    }
}

bool portable_reaches(const float *scores, float bar) {
    bool reaches = false;
    for (std::size_t i = 0; i < tile; ++i) reaches |= !(scores[i] < bar);
    return reaches;
}

inline std::uint64_t portable_find_near(const float *scores, const float *sizes, const float *roots,
                                        const Estimate &estimate, float limit) {
    std::uint64_t near_rows = 0;
    for (std::size_t i = 0; i < tile; ++i) {
        const float margin = estimate.by_root * roots[i] + estimate.by_size * sizes[i] + estimate.constant;
        const float least = sizes[i] - estimate.factor * scores[i] - margin;
        near_rows |= static_cast<std::uint64_t>(!(least > limit)) << i;
    }
    return near_rows;
}

#if defined(TROENPY_X86)

constexpr std::size_t lanes = 8;
constexpr std::size_t vectors = tile / lanes;

template <bool manhattan>
TROENPY_TARGET_AVX2_FMA void avx2_add_terms(float *scores, const float *values, const Term *terms,
                                            std::size_t n_terms) {
    __m256 sums[vectors];
    for (std::size_t v = 0; v < vectors; ++v) sums[v] = _mm256_loadu_ps(scores + v * lanes);
    for (std::size_t t = 0; t < n_terms; ++t) {
        const float *y = values + terms[t].place * tile;
        const __m256 x = _mm256_set1_ps(terms[t].value);
        const __m256 sign = _mm256_and_ps(x, _mm256_set1_ps(-0.0f));
        const __m256 length = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x);
        for (std::size_t v = 0; v < vectors; ++v) {
            const __m256 value = _mm256_loadu_ps(y + v * lanes);
            if constexpr (manhattan) {
                const __m256 along = _mm256_max_ps(_mm256_xor_ps(value, sign), _mm256_setzero_ps());
                sums[v] = _mm256_add_ps(sums[v], _mm256_min_ps(length, along));
            } else {
                sums[v] = _mm256_fmadd_ps(x, value, sums[v]);
            }
        }
    }
    for (std::size_t v = 0; v < vectors; ++v) _mm256_storeu_ps(scores + v * lanes, sums[v]);
}

TROENPY_TARGET_AVX2_FMA bool avx2_reaches(const float *scores, float bar) {
    const __m256 least = _mm256_set1_ps(bar);
    __m256 reaches = _mm256_setzero_ps();
    for (std::size_t v = 0; v < vectors; ++v) {
        const __m256 is_reached = _mm256_cmp_ps(_mm256_loadu_ps(scores + v * lanes), least, _CMP_NLT_UQ);
        reaches = _mm256_or_ps(reaches, is_reached);
    }
    return _mm256_movemask_ps(reaches) != 0;
}

TROENPY_TARGET_AVX2_FMA std::uint64_t avx2_find_near(const float *scores, const float *sizes, const float *roots,
                                                     const Estimate &estimate, float limit) {
    const __m256 factor = _mm256_set1_ps(estimate.factor), by_root = _mm256_set1_ps(estimate.by_root);
    const __m256 by_size = _mm256_set1_ps(estimate.by_size), constant = _mm256_set1_ps(estimate.constant);
    const __m256 bar = _mm256_set1_ps(limit);
    std::uint64_t near_rows = 0;
    for (std::size_t v = 0; v < vectors; ++v) {
        const __m256 size = _mm256_loadu_ps(sizes + v * lanes);
        const __m256 margin =
            _mm256_fmadd_ps(by_root, _mm256_loadu_ps(roots + v * lanes), _mm256_fmadd_ps(by_size, size, constant));
        const __m256 middle = _mm256_fnmadd_ps(factor, _mm256_loadu_ps(scores + v * lanes), size);
        const __m256 is_near = _mm256_cmp_ps(_mm256_sub_ps(middle, margin), bar, _CMP_NGT_UQ);
        near_rows |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_ps(is_near))) << (v * lanes);
    }
    return near_rows;
}

#endif

template <bool manhattan>
auto choose_add_terms() {
#if defined(TROENPY_X86)
    if (cpu::has_avx2_and_fma()) return avx2_add_terms<manhattan>;
#endif
    return portable_add_terms<manhattan>;
}

}  // namespace

Reaches choose_reaches() {
#if defined(TROENPY_X86)
    if (cpu::has_avx2_and_fma()) return avx2_reaches;
#endif
    return portable_reaches;
}

FindNear choose_find_near() {
#if defined(TROENPY_X86)
    if (cpu::has_avx2_and_fma()) return avx2_find_near;
#endif
    return portable_find_near;
}

void check_rows(const SparseRows &rows, std::size_t n_stored, std::size_t n_columns) {
    std::int64_t previous = 0;
    for (std::size_t row = 0; row <= rows.n_rows; ++row) {
        if (rows.borders[row] < previous) throw std::invalid_argument("indptr does not ascend from 0");
        previous = rows.borders[row];
    }
    if (static_cast<std::uint64_t>(previous) > n_stored)
        throw std::invalid_argument("indptr exceeds the number of stored values");
    for (std::size_t row = 0; row < rows.n_rows; ++row) {
        const SparseRow entries = rows[row];
        std::int64_t before = -1;
        for (std::size_t i = 0; i < entries.length; ++i) {
            if (entries.columns[i] <= before)
                throw std::invalid_argument("column indices must ascend from 0 in every row");
            before = entries.columns[i];
        }
        if (before >= static_cast<std::int64_t>(n_columns))
            throw std::out_of_range("a column index is outside [0, n_columns)");
    }
}

Postings::Postings(const SparseRows &rows, std::size_t n_columns, Metric metric, int exponent)
    : manhattan_(is_manhattan(metric)),
      add_terms_(manhattan_ ? choose_add_terms<true>() : choose_add_terms<false>()),
      n_tiles_((rows.n_rows + tile - 1) / tile),
      columns_(n_columns, Column{0, 0, no_place}) {
    if (rows.n_rows >= no_place) throw std::length_error("too many rows for 32-bit row numbers");
    const auto n_stored = static_cast<std::size_t>(rows.borders[rows.n_rows]);
    for (auto at = static_cast<std::size_t>(rows.borders[0]); at < n_stored; ++at)
        ++columns_[static_cast<std::size_t>(rows.columns[at])].n_rows;
    std::uint64_t n_listed = 0;
    for (Column &column : columns_) {
        const bool is_dense = column.n_rows > n_padded() / rows_per_listed_value;
        if (is_dense) column.dense_place = static_cast<std::uint32_t>(n_dense_++);
        column.list_begin = n_listed;
        n_listed += is_dense ? 0 : column.n_rows;
    }
    lists_.reserve(static_cast<std::size_t>(n_listed));
    tiles_.assign(n_tiles_ * n_dense_ * tile, 0.0f);
    std::vector<std::uint64_t> next(n_columns);
    for (std::size_t column = 0; column < n_columns; ++column) next[column] = columns_[column].list_begin;
    for (std::size_t row = 0; row < rows.n_rows; ++row) {
        const SparseRow entries = rows[row];
        float *dense = tiles_.data() + (row / tile) * n_dense_ * tile + row % tile;
        for (std::size_t i = 0; i < entries.length; ++i) {
            const auto column = static_cast<std::size_t>(entries.columns[i]);
            const auto value = static_cast<float>(std::ldexp(entries.values[i], -exponent));
            if (columns_[column].dense_place != no_place) {
                dense[columns_[column].dense_place * tile] = value;
            } else {
                lists_[next[column]++] = {static_cast<std::uint32_t>(row), value};
            }
        }
    }
}

void Postings::find_terms(const SparseRow &query, int exponent, double budget, QueryTerms &terms) const {
    thread_local std::vector<Priced> small;
    small.clear();
    terms.major.clear();
    terms.minor.clear();
    terms.minor_size = 0;
    const double scale = std::ldexp(1.0, -exponent);
    const double dense_cost = static_cast<double>(n_padded() / rows_per_listed_value);
    for (std::size_t i = 0; i < query.length; ++i) {
        const auto place = static_cast<std::uint32_t>(query.columns[i]);
        const Column &column = columns_[place];
        if (column.n_rows == 0) continue;
        const double size = manhattan_ ? std::abs(query.values[i]) : query.values[i] * query.values[i];
        // Values of rows are at most 1, so clipping at 2 does not change a minimum (Manhattan; products are in range).
        const auto value = static_cast<float>(std::clamp(query.values[i] * scale, -2.0, 2.0));
        if (size <= budget) {
            const double cost = column.dense_place == no_place ? static_cast<double>(column.n_rows) : dense_cost;
            small.push_back({size, size / cost, {place, value}});
        } else {
            add_term({place, value}, terms.major);
        }
    }
    std::sort(small.begin(), small.end(),
              [](const Priced &a, const Priced &b) { return a.size_per_cost < b.size_per_cost; });
    bool is_minor = true;
    for (const Priced &priced : small) {
        is_minor = is_minor && terms.minor_size + priced.size <= budget;
        if (is_minor) terms.minor_size += priced.size;
        add_term(priced.term, is_minor ? terms.minor : terms.major);
    }
}

void Postings::add_term(const Term &term, Terms &terms) const {
    const std::uint32_t dense_place = columns_[term.place].dense_place;
    if (dense_place != no_place) {
        terms.dense.push_back({dense_place, term.value});
    } else {
        terms.listed.push_back(term);
    }
}

std::span<const Posting> Postings::telling_list(const Terms &terms, std::size_t n) const {
    const Column *telling = nullptr;
    float most = 0;
    for (const auto [place, value] : terms.listed) {
        const Column &column = columns_[place];
        if (column.n_rows < n) continue;
        const float size = manhattan_ ? std::abs(value) : value * value;
        const float size_per_row = size / static_cast<float>(column.n_rows);
        if (telling != nullptr && size_per_row <= most) continue;
        telling = &column;
        most = size_per_row;
    }
    if (telling == nullptr) return {};
    return {lists_.data() + telling->list_begin, std::min<std::size_t>(telling->n_rows, 16 * n)};
}

void Postings::add_dense(const Terms &terms, std::size_t t, float *scores) const {
    if (terms.dense.empty()) return;
    add_terms_(scores + t * tile, tiles_.data() + t * n_dense_ * tile, terms.dense.data(), terms.dense.size());
}

void Postings::add_listed(const Terms &terms, float *scores) const {
    for (const Term &term : terms.listed) {
        const Posting *posting = lists_.data() + columns_[term.place].list_begin;
        cpu::prefetch(posting);
        cpu::prefetch(posting + 8);
    }
    for (const auto [place, value] : terms.listed) {
        const Posting *posting = lists_.data() + columns_[place].list_begin;
        const Posting *end = posting + columns_[place].n_rows;
        if (manhattan_) {
            for (; posting < end; ++posting) scores[posting->row] += shared_part(value, posting->value);
        } else {
            for (; posting < end; ++posting) scores[posting->row] += value * posting->value;
        }
    }
}

}  // namespace troenpy::neighbors
