#include "neighbors/nearest.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace troenpy::neighbors {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t tile = Postings::rows_per_tile;
constexpr float no_row = 1e30f;  // the size of padding rows in the last tile
constexpr std::size_t most_shared_columns = std::size_t{1} << 22;

// The scores of a block of queries fit in the L2 cache.
constexpr std::size_t scores_per_block = std::size_t{1} << 19;
constexpr std::size_t most_queries_per_block = 8;

// The fraction of a query that may be left out at first, and how many candidates beyond k are then too many: measuring
// a candidate costs about as much as a few hundred listed values.
constexpr double minor_share = 0.01;
constexpr std::size_t most_extra_candidates = 64;

// Walks along two rows and sums their differences over the columns of either, in ascending order.
template <bool manhattan>
struct Walk {
    SparseRow y;
    std::size_t i, j, which;
    double sum;

    void add(double difference) { sum += manhattan ? std::abs(difference) : difference * difference; }

    // One step. Masks instead of branches, which would be mispredicted at every other step.
    void step(const SparseRow &x) {
        const bool takes_x = x.columns[i] <= y.columns[j];
        const bool takes_y = y.columns[j] <= x.columns[i];
        add(value_if(takes_x, x.values[i]) - value_if(takes_y, y.values[j]));
        i += takes_x;
        j += takes_y;
    }

    // The minimum number of steps until one of the rows ends.
    std::size_t n_sure(const SparseRow &x) const { return std::min(x.length - i, y.length - j); }

    double finish(const SparseRow &x) {
        while (i < x.length && j < y.length) step(x);
        for (; i < x.length; ++i) add(x.values[i]);
        for (; j < y.length; ++j) add(y.values[j]);
        return sum;
    }

    static double value_if(bool is_taken, double value) {
        return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & -std::uint64_t{is_taken});
    }
};

// Each step of a walk depends on the one before, so a few walks are interleaved; when one ends, the next row starts.
template <bool manhattan>
void sum_differences(const SparseRow &x, const SparseRow *rows, std::size_t n, double *sums) {
    constexpr std::size_t n_walks = 4;
    std::array<Walk<manhattan>, n_walks> walks;
    std::size_t next = 0, n_left = std::min(n, n_walks);
    for (std::size_t w = 0; w < n_left; ++w, ++next) walks[w] = {rows[next], 0, 0, next, 0.0};
    while (n_left == n_walks) {
        std::size_t n_sure = walks[0].n_sure(x);
        for (const auto &walk : walks) n_sure = std::min(n_sure, walk.n_sure(x));
        for (std::size_t step = 0; step < n_sure; ++step) {
            for (auto &walk : walks) walk.step(x);
        }
        for (auto &walk : walks) {
            if (walk.n_sure(x) > 0) continue;
            sums[walk.which] = walk.finish(x);
            if (next == n) {
                walk = walks[--n_left];
                break;
            }
            walk = {rows[next], 0, 0, next, 0.0};
            ++next;
        }
    }
    for (std::size_t w = 0; w < n_left; ++w) sums[walks[w].which] = walks[w].finish(x);
}

// Monotone, so it also maps the ends of an interval.
double to_distance(Metric metric, double sum) {
    switch (metric) {
        case Metric::euclidean:
            return std::sqrt(sum);
        case Metric::cosine:
            return sum / 2;
        case Metric::hellinger:
            return std::sqrt(sum / 2);
        default:
            return sum;
    }
}

double size_of(Metric metric, const SparseRow &row) {
    if (metric == Metric::cosine && row.length == 0) return 1;  // then a + 1 - 2 * 0 = 2, and the distance is 1
    double size = 0;
    for (std::size_t i = 0; i < row.length; ++i)
        size += is_manhattan(metric) ? std::abs(row.values[i]) : row.values[i] * row.values[i];
    return size;
}

double largest(const double *values, std::size_t n) {
    double most = 0;
    for (std::size_t i = 0; i < n; ++i) most = std::max(most, std::abs(values[i]));
    return most;
}

// The smallest e with value <= 2^e for a positive value, otherwise 0.
int exponent_of(double value) {
    int exponent = 0;
    if (value < infinity) std::frexp(value, &exponent);
    return exponent;
}

}  // namespace

void Space::add_distances(const SparseRow &query, Neighbor *neighbors, std::size_t n) const {
    constexpr std::size_t n_at_once = 64;
    std::array<SparseRow, n_at_once> rows;
    std::array<double, n_at_once> sums;
    for (std::size_t first = 0; first < n; first += n_at_once) {
        const std::size_t n_now = std::min(n_at_once, n - first);
        for (std::size_t i = 0; i < n_now; ++i) rows[i] = rows_[neighbors[first + i].row];
        (is_manhattan(metric_) ? sum_differences<true> : sum_differences<false>)(query, rows.data(), n_now,
                                                                                 sums.data());
        for (std::size_t i = 0; i < n_now; ++i) {
            const bool has_no_angle = metric_ == Metric::cosine && (query.length == 0 || rows[i].length == 0);
            const double distance = sums[i] < infinity ? to_distance(metric_, sums[i]) : infinity;
            neighbors[first + i].distance += has_no_angle ? 1 : distance;
        }
    }
}

Space::Space(SparseRows rows, std::size_t n_columns, Metric metric)
    : rows_(rows), n_columns_(n_columns), metric_(metric) {
    std::vector<double> sizes(rows.n_rows);
    double most = 0;
    bool is_finite = true;
    for (std::size_t row = 0; row < rows.n_rows; ++row) {
        const SparseRow entries = rows[row];
        sizes[row] = size_of(metric, entries);
        is_finite &= sizes[row] < infinity;
        most = std::max(most, sizes[row]);
        longest_ = std::max(longest_, entries.length);
    }
    const auto begin = static_cast<std::size_t>(rows.borders[0]);
    const double largest_value =
        largest(rows.values + begin, static_cast<std::size_t>(rows.borders[rows.n_rows]) - begin);
    size_exponent_ = exponent_of(most);
    exponent_ = exponent_of(largest_value);
    is_ranged_ = is_finite && (largest_value == 0 || std::abs(size_exponent_) <= 900);
    if (!is_ranged_) exponent_ = size_exponent_ = 0;
    postings_ = std::make_unique<Postings>(rows, n_columns, metric, exponent_);
    sizes_.assign(postings_->n_padded(), no_row);
    roots_.assign(postings_->n_padded(), 0.0f);
    for (std::size_t row = 0; is_ranged_ && row < rows.n_rows; ++row) {
        const double size = std::ldexp(sizes[row], -size_exponent_);
        sizes_[row] = static_cast<float>(size);
        roots_[row] = static_cast<float>(std::sqrt(size));
    }
    for (std::size_t begin = 0; begin < rows.n_rows; begin += tile) {
        const auto end = sizes_.begin() + static_cast<std::ptrdiff_t>(std::min(begin + tile, rows.n_rows));
        const auto [least, largest] = std::minmax_element(sizes_.begin() + static_cast<std::ptrdiff_t>(begin), end);
        tile_sizes_.push_back({*least, *largest});
    }
}

Space::Bounds Space::prepare(const SparseRow &query, QueryTerms &terms) const {
    const double largest_value = largest(query.values, query.length);
    const int exponent = is_manhattan(metric_) ? exponent_ : exponent_of(largest_value);
    const double size = size_of(metric_, query);
    postings_->find_terms(query, exponent, size * (is_manhattan(metric_) ? minor_share : minor_share * minor_share),
                          terms);

    const double shared = static_cast<double>(std::min(query.length, longest_));
    const int factor_exponent = 1 + exponent_ + (is_manhattan(metric_) ? 0 : exponent) - size_exponent_;
    const double own_size = std::ldexp(size, -size_exponent_);
    Bounds bounds{
        {},
        {},
        own_size,
        is_ranged_ && own_size < std::ldexp(1.0, 100) && factor_exponent < 100 && shared <= most_shared_columns};
    if (!bounds.is_known) return bounds;

    constexpr double unit = 0x1p-24, inflated = 1 + 0x1p-16;
    const double gamma = (shared + 12) * unit / (1 - (shared + 12) * unit);
    const double in_double = (static_cast<double>(query.length + longest_) + 16) * 0x1p-51;
    const double factor = std::ldexp(1.0, factor_exponent);
    const auto estimate = [&](double minor_size) {
        const double by_root = is_manhattan(metric_) ? 0 : std::sqrt(minor_size);
        const double constant = is_manhattan(metric_) ? 2 * minor_size : 0;
        return Estimate{
            static_cast<float>(factor),
            static_cast<float>(2 * (gamma * std::sqrt(own_size) + by_root) * inflated),
            static_cast<float>((5 * unit + in_double) * inflated),
            static_cast<float>((in_double * own_size + constant + factor * shared * 0x1p-120 + 0x1p-80) * inflated),
        };
    };
    bounds.by_major = estimate(std::ldexp(terms.minor_size, -size_exponent_));
    bounds.by_all = estimate(0);
    return bounds;
}

void Space::add_intervals(const Estimate &estimate, double own_size, const float *scores, double *least,
                          double *most) const {
    constexpr double rounding = 0x1p-48;  // of the distances and of their sum
    const double unit = std::ldexp(1.0, size_exponent_);
    for (std::size_t row = 0; row < n_rows(); ++row) {
        const double margin = estimate.by_root * static_cast<double>(roots_[row]) +
                              estimate.by_size * static_cast<double>(sizes_[row]) + estimate.constant;
        const double middle = own_size + sizes_[row] - estimate.factor * static_cast<double>(scores[row]);
        least[row] += to_distance(metric_, std::max(0.0, middle - margin) * unit) * (1 - rounding);
        most[row] += to_distance(metric_, (middle + margin) * unit) * (1 + rounding);
    }
}

namespace {

// Collects the rows that may be among the k nearest, from their intervals.
template <typename Real>
class Candidates {
public:
    void start(std::size_t n_neighbors) {
        k_ = n_neighbors;
        limit_ = std::numeric_limits<Real>::infinity();
        most_.clear();
        rows_.clear();
    }

    // Looks at some rows first, each once, to get a limit early.
    void foresee(Real most) { most_.push_back(most); }
    void end_foresight() {
        if (most_.size() >= k_) tighten();
        most_.clear();  // these rows will be added again
    }

    std::size_t size() const { return rows_.size(); }

    // A row with a lower bound above this is not a candidate.
    Real limit() const { return limit_; }

    void add(std::uint32_t row, Real least, Real most) {
        rows_.push_back({least, row});
        if (!(most < limit_)) return;
        most_.push_back(most);
        if (most_.size() == (limit_ < std::numeric_limits<Real>::infinity() ? k_ + k_ / 2 + 2 : k_)) tighten();
    }

    // The rows that are still candidates after all rows have been added.
    template <typename F>
    void for_each(F &&body) {
        if (most_.size() >= k_) tighten();
        for (const auto &[least, row] : rows_) {
            if (!(least > limit_)) body(row);
        }
    }

private:
    void tighten() {
        std::nth_element(most_.begin(), most_.begin() + static_cast<std::ptrdiff_t>(k_ - 1), most_.end());
        most_.resize(k_);
        limit_ = most_[k_ - 1];
    }

    struct Row {
        Real least;
        std::uint32_t row;
    };
    std::size_t k_ = 0;
    Real limit_ = 0;
    std::vector<Real> most_;  // the k smallest so far, and some others
    std::vector<Row> rows_;
};

// The score that a row of a tile must reach to be near (step 6 in nearest.hpp).
struct Bar {
    float score = 0;
    Space::Sizes sizes{-1, -1};  // for which the score was computed
    float limit = 0;

    void move(const Estimate &estimate, const Space::Sizes &tile_sizes, float new_limit) {
        if (tile_sizes == sizes && new_limit == limit) return;
        sizes = tile_sizes;
        limit = new_limit;
        const double most = sizes.most, root = std::sqrt(most) * (1 + 0x1p-22);
        const double margin = estimate.by_root * root + estimate.by_size * most + estimate.constant;
        score = static_cast<float>((sizes.least - margin - limit) / estimate.factor);
        score = std::nextafter(score, -std::numeric_limits<float>::infinity());
    }
};

class Searcher {
public:
    Searcher(const std::vector<Space> &spaces, const Search &search, std::size_t n_per_block)
        : spaces_(spaces),
          search_(search),
          stride_(spaces[0].postings().n_padded()),
          terms_(spaces.size() * n_per_block),
          bounds_(spaces.size() * n_per_block),
          n_per_block_(n_per_block) {
        scores_.reserve(spaces.size() * n_per_block * stride_);
    }

    void run(std::size_t first, std::size_t last, Watch &watch) {
        for (std::size_t s = 0; s < spaces_.size(); ++s) {
            for (std::size_t query = first; query < last; ++query) {
                const std::size_t at = place(s, query - first);
                bounds_[at] = spaces_[s].prepare(search_.queries[s][query], terms_[at]);
            }
            start_scores(s, last - first);
        }
        for (std::size_t query = first; query < last; ++query) {
            watch.check();
            for (std::size_t s = 0; s < spaces_.size(); ++s) {
                spaces_[s].postings().add_listed(terms_[place(s, query - first)].major, scores(s, query - first));
            }
            find_candidates(query, query - first);
            rank(query, watch);
        }
    }

private:
    std::size_t place(std::size_t space, std::size_t i) const { return space * n_per_block_ + i; }
    float *scores(std::size_t space, std::size_t i) { return scores_.data() + place(space, i) * stride_; }

    // The dense part of the scores, tile by tile: the values of a tile are read from memory once for all queries.
    void start_scores(std::size_t s, std::size_t n_queries) {
        const Postings &postings = spaces_[s].postings();
        std::fill_n(scores(s, 0), n_queries * stride_, 0.0f);
        for (std::size_t t = 0; t < postings.n_tiles(); ++t) {
            for (std::size_t i = 0; i < n_queries; ++i) postings.add_dense(terms_[place(s, i)].major, t, scores(s, i));
        }
    }

    void add_minor_terms(std::size_t i) {
        for (std::size_t s = 0; s < spaces_.size(); ++s) {
            const Postings &postings = spaces_[s].postings();
            const Terms &terms = terms_[place(s, i)].minor;
            for (std::size_t t = 0; t < postings.n_tiles(); ++t) postings.add_dense(terms, t, scores(s, i));
            postings.add_listed(terms, scores(s, i));
            bounds_[place(s, i)].by_major = bounds_[place(s, i)].by_all;
        }
    }

    void find_candidates(std::size_t query, std::size_t i) {
        bool is_known = true;
        for (std::size_t s = 0; s < spaces_.size(); ++s) is_known &= bounds_[place(s, i)].is_known;
        if (!is_known) {
            measured_.clear();
            for (std::size_t row = 0; row < spaces_[0].n_rows(); ++row) {
                if (!(search_.skips_own_row && row == query)) measured_.push_back({0, static_cast<std::uint32_t>(row)});
            }
            return;
        }
        scan(query, i);
        if (measured_.size() > search_.n_neighbors + most_extra_candidates) {
            add_minor_terms(i);
            scan(query, i);
        }
    }

    void scan(std::size_t query, std::size_t i) {
        measured_.clear();
        const auto keep = [&](std::uint32_t row) { measured_.push_back({0, row}); };
        if (spaces_.size() == 1) {
            scan_scores(query, i);
            by_score_.for_each(keep);
        } else {
            scan_intervals(query, i);
            by_distance_.for_each(keep);
        }
    }

    void scan_scores(std::size_t query, std::size_t i) {
        const float *own = scores(0, i), *sizes = spaces_[0].sizes(), *roots = spaces_[0].roots();
        const Estimate &estimate = bounds_[i].by_major;
        by_score_.start(search_.n_neighbors);
        foresee(query, i);
        Bar bar;
        for (std::size_t begin = 0; begin < stride_; begin += tile) {
            bar.move(estimate, spaces_[0].tile_sizes(begin / tile), by_score_.limit());
            if (!reaches_(own + begin, bar.score)) continue;
            std::uint64_t near_rows =
                find_near_(own + begin, sizes + begin, roots + begin, estimate, by_score_.limit());
            for (; near_rows != 0; near_rows &= near_rows - 1) {
                const std::size_t row = begin + static_cast<std::size_t>(std::countr_zero(near_rows));
                if (row >= spaces_[0].n_rows() || (search_.skips_own_row && row == query)) continue;
                const float margin = estimate.by_root * roots[row] + estimate.by_size * sizes[row] + estimate.constant;
                const float middle = sizes[row] - estimate.factor * own[row];
                if (middle - margin > by_score_.limit()) continue;  // the limit may have dropped within the tile
                by_score_.add(static_cast<std::uint32_t>(row), middle - margin, middle + margin);
            }
        }
    }

    // The rows of a rare, heavy term are likely to be near: they give an initial limit.
    void foresee(std::size_t query, std::size_t i) {
        const float *own = scores(0, i), *sizes = spaces_[0].sizes(), *roots = spaces_[0].roots();
        const Estimate &estimate = bounds_[i].by_major;
        for (const Posting &posting : spaces_[0].postings().telling_list(terms_[i].major, search_.n_neighbors + 1)) {
            if (search_.skips_own_row && posting.row == query) continue;
            const float margin =
                estimate.by_root * roots[posting.row] + estimate.by_size * sizes[posting.row] + estimate.constant;
            by_score_.foresee(sizes[posting.row] - estimate.factor * own[posting.row] + margin);
        }
        by_score_.end_foresight();
    }

    void scan_intervals(std::size_t query, std::size_t i) {
        const std::size_t n_rows = spaces_[0].n_rows();
        least_.assign(n_rows, 0);
        most_.assign(n_rows, 0);
        for (std::size_t s = 0; s < spaces_.size(); ++s) {
            const Space::Bounds &bounds = bounds_[place(s, i)];
            spaces_[s].add_intervals(bounds.by_major, bounds.own_size, scores(s, i), least_.data(), most_.data());
        }
        by_distance_.start(search_.n_neighbors);
        for (std::size_t row = 0; row < n_rows; ++row) {
            if (least_[row] > by_distance_.limit() || (search_.skips_own_row && row == query)) continue;
            by_distance_.add(static_cast<std::uint32_t>(row), least_[row], most_[row]);
        }
    }

    void rank(std::size_t query, Watch &watch) {
        for (const Neighbor &neighbor : measured_) {
            if (measured_.size() > 1024) break;
            for (const Space &space : spaces_) space.prefetch(neighbor.row);
        }
        constexpr std::size_t n_per_look = 1024;
        for (std::size_t first = 0; first < measured_.size(); first += n_per_look) {
            if (first > 0) watch.check();
            const std::size_t n = std::min(n_per_look, measured_.size() - first);
            for (std::size_t s = 0; s < spaces_.size(); ++s)
                spaces_[s].add_distances(search_.queries[s][query], measured_.data() + first, n);
        }
        const std::size_t k = search_.n_neighbors;
        const auto end = measured_.begin() + static_cast<std::ptrdiff_t>(k);
        if (k < measured_.size()) std::nth_element(measured_.begin(), end - 1, measured_.end());
        std::sort(measured_.begin(), end);
        for (std::size_t i = 0; i < k; ++i) {
            search_.distances[query * k + i] = measured_[i].distance;
            search_.rows[query * k + i] = measured_[i].row;
        }
    }

    const std::vector<Space> &spaces_;
    const Search &search_;
    std::size_t stride_;
    std::vector<QueryTerms> terms_;      // by space, then query
    std::vector<Space::Bounds> bounds_;  // the same
    std::size_t n_per_block_;
    Buffer<float> scores_;  // the same, then row
    FindNear find_near_ = choose_find_near();
    Reaches reaches_ = choose_reaches();
    Candidates<float> by_score_;
    Candidates<double> by_distance_;
    std::vector<double> least_, most_;
    std::vector<Neighbor> measured_;
};

}  // namespace

void find_nearest(const std::vector<Space> &spaces, const Search &search) {
    const std::size_t n_queries = search.queries[0].n_rows;
    const std::size_t n_threads = std::max(1u, search.n_threads);
    const std::size_t per_thread = (n_queries + n_threads - 1) / n_threads;
    const std::size_t in_cache = scores_per_block / std::max<std::size_t>(1, spaces[0].n_rows());
    const std::size_t n_per_block = std::clamp<std::size_t>(std::min(in_cache, per_thread), 1, most_queries_per_block);
    std::vector<std::unique_ptr<Searcher>> searchers(n_threads);
    run_tasks(static_cast<unsigned>(n_threads), (n_queries + n_per_block - 1) / n_per_block,
              [&](unsigned worker, std::size_t task, Watch &watch) {
                  if (!searchers[worker]) searchers[worker] = std::make_unique<Searcher>(spaces, search, n_per_block);
                  const std::size_t first = task * n_per_block;
                  searchers[worker]->run(first, std::min(n_queries, first + n_per_block), watch);
              });
}

}  // namespace troenpy::neighbors
