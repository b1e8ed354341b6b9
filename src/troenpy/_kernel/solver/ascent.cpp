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

// With less, the intercept of a rare class moves slowly; with more, every document does.
double good_sigma(const Zeros<Document> &documents, std::size_t n_rows, double strength) {
    double mean = 0, weight = 0;
    for (std::size_t row = 0; row < n_rows; ++row) {
        const Document &document = documents.data()[row];
        mean += double{document.weight} * strength * double{document.squares};
        weight += double{document.weight};
    }
    return weight > 0 ? std::max(1.0, 0.1 * mean / weight) : 1.0;
}

template <typename Value>
Zeros<Document> describe(const Rows<Value> &rows, const Labels *labels) {
    Zeros<Document> documents(rows.n_rows());
    for (std::size_t row = 0; row < rows.n_rows(); ++row) {
        double squares = 0;
        rows.for_each(row, [&](std::size_t, Value x) { squares += square(static_cast<double>(x)); });
        documents.data()[row] = {rows.begin(row),
                                 rows.end(row),
                                 labels ? static_cast<std::uint32_t>(labels->codes[row]) : 0u,
                                 labels ? static_cast<float>(labels->weights[row]) : 0.0f,
                                 static_cast<float>(squares),
                                 0.0f};
    }
    return documents;
}

void bend(Zeros<Document> &documents, std::size_t n_rows, double strength, double sigma) {
    for (std::size_t row = 0; row < n_rows; ++row) {
        Document &document = documents.data()[row];
        document.bend = static_cast<float>(double{document.weight} * (strength * double{document.squares} + sigma));
    }
}

// Visits rows in this order.
template <typename Value>
void climb_all(Visit<Value> &visit, const std::vector<std::uint32_t> &order, bool portable) {
    const auto climb_rows = use_avx2(portable) ? avx2::climb_rows<Value> : portable::climb_rows<Value>;
    run_tasks(1, 1, [&](unsigned, std::size_t, Watch &watch) {
        for (std::size_t first = 0; first < order.size(); first += rows_per_look) {
            watch.check();
            climb_rows(visit, order, first, std::min(first + rows_per_look, order.size()));
        }
    });
}

std::vector<std::uint32_t> rows_up_to(std::size_t n_rows) {
    std::vector<std::uint32_t> order(n_rows);
    std::iota(order.begin(), order.end(), 0u);
    return order;
}

}  // namespace

Coefficients::Coefficients(std::size_t n_columns, std::size_t n_decisions, const double *intercept, bool portable)
    : width_(n_decisions == 1 ? 1 : (n_decisions + 7) / 8 * 8), portable_(portable) {
    coef_ = Zeros<float>(n_columns * width_);
    room_.assign(5 * width_, 0.0f);
    intercept_.assign(width_, -1e4f);  // of what is too much
    std::copy(intercept, intercept + n_decisions, intercept_.begin());
    centre_.assign(intercept, intercept + n_decisions);
    mean_ = centre_;
    total_.assign(n_decisions, 0.0);
}

void Coefficients::set_strength(double strength, double sigma) {
    scale_ = std::sqrt(strength);
    sigma_ = sigma;
}

void Coefficients::change_strength(double strength, double sigma) {
    const auto factor = static_cast<float>(std::sqrt(strength) / scale_);
    for (std::size_t i = 0; i < coef_.size(); ++i) coef_.data()[i] *= factor;
    set_strength(strength, sigma);
}

template <typename Value>
Visit<Value> Coefficients::visit(const Rows<Value> &rows, const Zeros<Document> &documents, float *logs) {
    Visit<Value> visit{};
    visit.rows = &rows;
    visit.documents = documents.data();
    visit.scale = static_cast<float>(scale_);
    visit.sigma = sigma_;
    visit.n_decisions = centre_.size();
    visit.width = width_;
    visit.logs = logs;
    visit.coef = coef_.data();
    visit.centre = centre_.data();
    visit.total = total_.data();
    visit.intercept = intercept_.data();
    visit.mean = mean_.data();
    visit.room = room_.data();
    return visit;
}

void Coefficients::begin_round() { std::fill(mean_.begin(), mean_.end(), 0.0); }

void Coefficients::end_round(std::size_t n_visits) {
    for (std::size_t k = 0; k < total_.size(); ++k) {
        mean_[k] /= static_cast<double>(std::max<std::size_t>(n_visits, 1));
        centre_[k] += sigma_ * total_[k];
        intercept_[k] = static_cast<float>(centre_[k] + sigma_ * total_[k]);
    }
}

std::vector<float> Coefficients::mean_intercept() const {
    std::vector<float> intercept = intercept_;
    std::copy(mean_.begin(), mean_.end(), intercept.begin());
    return intercept;
}

double Coefficients::half_squares() const {
    double squares = 0;
    for (std::size_t i = 0; i < coef_.size(); ++i) squares += square(coef_.data()[i]);
    return squares / 2;
}

template <typename Value>
void Coefficients::decide(const Rows<Value> &rows, const Zeros<Document> &documents, const std::int64_t *chosen,
                          std::size_t n, double *out) {
    std::vector<float> intercept = mean_intercept(), z(width_);
    Visit<Value> look = visit(rows, documents, nullptr);
    look.intercept = intercept.data();
    const auto decide_row = use_avx2(portable_) ? avx2::decide_row<Value> : portable::decide_row<Value>;
    run_tasks(1, 1, [&](unsigned, std::size_t, Watch &watch) {
        for (std::size_t i = 0; i < n; ++i) {
            if (i % rows_per_look == 0) watch.check();
            decide_row(look, chosen == nullptr ? i : static_cast<std::size_t>(chosen[i]), z.data());
            std::copy_n(z.begin(), mean_.size(), out + i * mean_.size());
        }
    });
}

void Coefficients::read(double *coef, double *intercept) const {
    constexpr std::size_t tile = 16;  // written as runs of 128 bytes
    const std::size_t n_columns = this->n_columns();
    for (std::size_t first = 0; first < n_columns; first += tile)
        for (std::size_t k = 0; k < centre_.size(); ++k)
            for (std::size_t column = first; column < std::min(first + tile, n_columns); ++column)
                coef[k * n_columns + column] = static_cast<double>(coef_.data()[column * width_ + k]);
    std::copy(mean_.begin(), mean_.end(), intercept);
}

template <typename Value>
Ascent<Value>::Ascent(const Rows<Value> &rows, const Labels &labels, double strength, const double *intercept,
                      bool portable)
    : rows_(rows),
      documents_(describe(rows, &labels)),
      order_(rows_up_to(rows.n_rows())),
      coefficients_(rows.n_columns(), labels.n_decisions, intercept, portable) {
    const double sigma = good_sigma(documents_, rows.n_rows(), strength);
    coefficients_.set_strength(strength, sigma);
    bend(documents_, rows.n_rows(), strength, sigma);
    logs_ = Zeros<float>(rows.n_rows() * coefficients_.width());
}

template <typename Value>
void Ascent<Value>::change_strength(double strength) {
    const double sigma = good_sigma(documents_, rows_.n_rows(), strength);
    coefficients_.change_strength(strength, sigma);
    bend(documents_, rows_.n_rows(), strength, sigma);
    gap_ = 0;  // no document is passed over in the next round
}

template <typename Value>
double Ascent<Value>::climb() {
    shuffle(order_, n_rounds_);
    coefficients_.begin_round();
    Visit<Value> round = coefficients_.visit(rows_, documents_, logs_.data());
    round.is_first = n_rounds_ == 0;
    round.least = static_cast<float>(least_share * gap_ / static_cast<double>(rows_.n_rows()));
    climb_all(round, order_, coefficients_.portable());
    ++n_rounds_;
    coefficients_.end_round(round.n_visits);
    return gap_ = round.gap;
}

template <typename Value>
void Ascent<Value>::decide(const std::int64_t *rows, std::size_t n, double *out) {
    coefficients_.decide(rows_, documents_, rows, n, out);
}

template <typename Value>
std::array<double, 3> Ascent<Value>::gap() {
    const std::size_t n_decisions = coefficients_.n_decisions();
    Distance distance;
    distance.slope.assign(n_decisions, 0.0);
    distance.bend.assign(n_decisions, 0.0);
    std::vector<float> intercept = coefficients_.mean_intercept();
    Visit<Value> round = coefficients_.visit(rows_, documents_, logs_.data());
    round.intercept = intercept.data();
    const auto check_rows = use_avx2(coefficients_.portable()) ? avx2::check_rows<Value> : portable::check_rows<Value>;
    run_tasks(1, 1, [&](unsigned, std::size_t, Watch &watch) {
        for (std::size_t first = 0; first < rows_.n_rows(); first += rows_per_look) {
            watch.check();
            check_rows(round, first, std::min(first + rows_per_look, rows_.n_rows()), distance);
        }
    });
    // What a step of the intercept alone would gain.
    for (std::size_t k = 0; k < n_decisions; ++k)
        if (distance.bend[k] > 0) distance.gap += square(distance.slope[k]) / distance.bend[k];
    const double half_squares = coefficients_.half_squares();
    return {distance.gap, distance.loss + half_squares, half_squares};
}

template <typename Value>
PassAscent<Value>::PassAscent(std::size_t n_columns, std::size_t n_decisions, double strength, const double *intercept,
                              bool portable)
    : strength_(strength), coefficients_(n_columns, n_decisions, intercept, portable) {}

template <typename Value>
void PassAscent<Value>::climb(const Rows<Value> &rows, const Labels &labels, float *logs) {
    Zeros<Document> documents = describe(rows, &labels);
    if (n_batches_ == 0) coefficients_.set_strength(strength_, good_sigma(documents, rows.n_rows(), strength_));
    bend(documents, rows.n_rows(), strength_, coefficients_.sigma());
    if (!is_within_) coefficients_.begin_round();
    is_within_ = true;
    std::vector<std::uint32_t> order = rows_up_to(rows.n_rows());
    shuffle(order, n_batches_++);
    Visit<Value> part = coefficients_.visit(rows, documents, logs);
    part.is_first = is_first_;
    part.least = static_cast<float>(least_);
    climb_all(part, order, coefficients_.portable());
    n_visits_ += part.n_visits;
    n_rows_ += rows.n_rows();
    gap_ += part.gap;
}

template <typename Value>
double PassAscent<Value>::end_pass() {
    coefficients_.end_round(n_visits_);
    const double gap = gap_;
    least_ = least_share * gap / static_cast<double>(std::max<std::size_t>(n_rows_, 1));
    is_first_ = is_within_ = false;
    n_visits_ = n_rows_ = 0;
    gap_ = 0;
    return gap;
}

template <typename Value>
void PassAscent<Value>::decide(const Rows<Value> &rows, double *out) {
    coefficients_.decide(rows, describe(rows, nullptr), nullptr, rows.n_rows(), out);
}

template class Ascent<float>;
template class Ascent<double>;
template class PassAscent<float>;
template class PassAscent<double>;

}  // namespace troenpy::solver
