#include "solver/ascent.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "cpu.hpp"
#include "parallel.hpp"

namespace troenpy::solver {

namespace {

constexpr int max_steps = 8;         // Newton steps of a visit
constexpr float small_step = 0.01f;  // squared: after such a one, the next would be tiny
constexpr float unlikely = -12, infinite = std::numeric_limits<float>::infinity();
constexpr double least_share = 0.03;  // of the mean gain: documents with less are passed over
constexpr std::size_t rows_per_look = 64, rows_ahead = 8;

namespace portable {
#define TROENPY_TARGET
#include "solver/ascent_loops.hpp"
#undef TROENPY_TARGET
}  // namespace portable

#if defined(TROENPY_X86)
namespace avx2 {
#define TROENPY_TARGET TROENPY_TARGET_AVX2
#include "solver/ascent_loops.hpp"
#undef TROENPY_TARGET
}  // namespace avx2

bool use_avx2(bool portable) {
    static const bool has_avx2 = cpu::has_avx2();
    return has_avx2 && !portable;
}
#else
namespace avx2 = portable;
bool use_avx2(bool) { return false; }
#endif

// The same order on every machine.
void shuffle(std::vector<std::uint32_t> &order, std::uint64_t seed) {
    std::uint64_t state = seed;
    const auto below = [&](std::uint64_t n) {
        state += 0x9E3779B97F4A7C15u;
        std::uint64_t x = state;
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
        return (x ^ (x >> 31)) % n;
    };
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[below(i)]);
}

double square(double x) { return x * x; }

}  // namespace

template <typename Value>
Ascent<Value>::Ascent(const Rows<Value> &rows, const Labels &labels, double strength, const double *intercept,
                      bool portable)
    : rows_(rows), portable_(portable) {
    const std::size_t n_rows = rows.n_rows(), n = labels.n_decisions;
    width_ = n == 1 ? 1 : (n + 7) / 8 * 8;
    documents_ = Zeros<Document>(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) {
        double squares = 0;
        rows.for_each(row, [&](std::size_t, Value x) { squares += square(static_cast<double>(x)); });
        documents_.data()[row] = {rows.begin(row),
                                  rows.end(row),
                                  static_cast<std::uint32_t>(labels.codes[row]),
                                  static_cast<float>(labels.weights[row]),
                                  static_cast<float>(squares),
                                  0.0f};
    }
    set_strength(strength);
    logs_ = Zeros<float>(n_rows * width_);
    coef_ = Zeros<float>(rows.n_columns() * width_);
    room_.assign(5 * width_, 0.0f);
    intercept_.assign(width_, -1e4f);  // of what is too much
    std::copy(intercept, intercept + n, intercept_.begin());
    centre_.assign(intercept, intercept + n);
    mean_ = centre_;
    total_.assign(n, 0.0);
    order_.resize(n_rows);
    std::iota(order_.begin(), order_.end(), 0u);
}

template <typename Value>
void Ascent<Value>::set_strength(double strength) {
    double mean = 0, weight = 0;
    for (std::size_t row = 0; row < rows_.n_rows(); ++row) {
        const Document &document = documents_.data()[row];
        mean += double{document.weight} * strength * double{document.squares};
        weight += double{document.weight};
    }
    scale_ = std::sqrt(strength);
    // With less, the intercept of a rare class moves slowly; with more, every document does.
    sigma_ = std::max(1.0, 0.1 * mean / weight);
    for (std::size_t row = 0; row < rows_.n_rows(); ++row) {
        Document &document = documents_.data()[row];
        document.bend = static_cast<float>(double{document.weight} * (strength * double{document.squares} + sigma_));
    }
}

template <typename Value>
void Ascent<Value>::change_strength(double strength) {
    const auto factor = static_cast<float>(std::sqrt(strength) / scale_);
    for (std::size_t i = 0; i < coef_.size(); ++i) coef_.data()[i] *= factor;
    set_strength(strength);
    gap_ = 0;  // no document is passed over in the next round
}

template <typename Value>
Visit<Value> Ascent<Value>::visit() {
    Visit<Value> visit{};
    visit.rows = &rows_;
    visit.documents = documents_.data();
    visit.scale = static_cast<float>(scale_);
    visit.sigma = sigma_;
    visit.n_decisions = centre_.size();
    visit.width = width_;
    visit.logs = logs_.data();
    visit.coef = coef_.data();
    visit.centre = centre_.data();
    visit.total = total_.data();
    visit.intercept = intercept_.data();
    visit.mean = mean_.data();
    visit.room = room_.data();
    return visit;
}

template <typename Value>
double Ascent<Value>::climb() {
    shuffle(order_, n_rounds_);
    std::fill(mean_.begin(), mean_.end(), 0.0);
    Visit<Value> round = visit();
    round.is_first = n_rounds_ == 0;
    round.least = static_cast<float>(least_share * gap_ / static_cast<double>(rows_.n_rows()));
    const auto climb_rows = use_avx2(portable_) ? avx2::climb_rows<Value> : portable::climb_rows<Value>;
    run_tasks(1, 1, [&](unsigned, std::size_t, Watch &watch) {
        for (std::size_t first = 0; first < order_.size(); first += rows_per_look) {
            watch.check();
            climb_rows(round, order_, first, std::min(first + rows_per_look, order_.size()));
        }
    });
    ++n_rounds_;
    for (std::size_t k = 0; k < total_.size(); ++k) {
        mean_[k] /= static_cast<double>(std::max<std::size_t>(round.n_visits, 1));
        centre_[k] += sigma_ * total_[k];
        intercept_[k] = static_cast<float>(centre_[k] + sigma_ * total_[k]);
    }
    return gap_ = round.gap;
}

template <typename Value>
std::vector<float> Ascent<Value>::mean_intercept() const {
    std::vector<float> intercept = intercept_;
    std::copy(mean_.begin(), mean_.end(), intercept.begin());
    return intercept;
}

template <typename Value>
void Ascent<Value>::decide(const std::int64_t *rows, std::size_t n, double *out) {
    std::vector<float> intercept = mean_intercept(), z(width_);
    Visit<Value> look = visit();
    look.intercept = intercept.data();
    const auto decide_row = use_avx2(portable_) ? avx2::decide_row<Value> : portable::decide_row<Value>;
    run_tasks(1, 1, [&](unsigned, std::size_t, Watch &watch) {
        for (std::size_t i = 0; i < n; ++i) {
            if (i % rows_per_look == 0) watch.check();
            decide_row(look, static_cast<std::size_t>(rows[i]), z.data());
            std::copy_n(z.begin(), mean_.size(), out + i * mean_.size());
        }
    });
}

template <typename Value>
std::array<double, 3> Ascent<Value>::gap() {
    Distance distance;
    distance.slope.assign(mean_.size(), 0.0);
    distance.bend.assign(mean_.size(), 0.0);
    std::vector<float> intercept = mean_intercept();
    Visit<Value> round = visit();
    round.intercept = intercept.data();
    const auto check_rows = use_avx2(portable_) ? avx2::check_rows<Value> : portable::check_rows<Value>;
    run_tasks(1, 1, [&](unsigned, std::size_t, Watch &watch) {
        for (std::size_t first = 0; first < rows_.n_rows(); first += rows_per_look) {
            watch.check();
            check_rows(round, first, std::min(first + rows_per_look, rows_.n_rows()), distance);
        }
    });
    // What a step of the intercept alone would gain.
    for (std::size_t k = 0; k < mean_.size(); ++k)
        if (distance.bend[k] > 0) distance.gap += square(distance.slope[k]) / distance.bend[k];
    double squares = 0;
    for (std::size_t i = 0; i < coef_.size(); ++i) squares += square(coef_.data()[i]);
    return {distance.gap, distance.loss + squares / 2, squares / 2};
}

template <typename Value>
void Ascent<Value>::read(double *coef, double *intercept) const {
    constexpr std::size_t tile = 16;  // written as runs of 128 bytes
    const std::size_t n_columns = rows_.n_columns();
    for (std::size_t first = 0; first < n_columns; first += tile)
        for (std::size_t k = 0; k < centre_.size(); ++k)
            for (std::size_t column = first; column < std::min(first + tile, n_columns); ++column)
                coef[k * n_columns + column] = static_cast<double>(coef_.data()[column * width_ + k]);
    std::copy(mean_.begin(), mean_.end(), intercept);
}

template class Ascent<float>;
template class Ascent<double>;

}  // namespace troenpy::solver
