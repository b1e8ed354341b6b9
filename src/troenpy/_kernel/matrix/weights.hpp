// Term weights that are sums over classes.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace troenpy::matrix {

// whole - part, with rounding errors of sample weights set to zero.
inline double remainder_of(double whole, double part) {
    const double rest = whole - part;
    return rest <= 1e-12 * whole ? 0.0 : rest;
}

// The troenpy of each column, sum p log1p((count - s) / (s + others)), where p is the count divided by the column sum
// and `others` is the rest of the column. Zero for a column without counts. For tiny sums of sample weights the
// quotient rounds to -1: there, the equivalent log((count + others) / (s + others)) is used.
inline void write_add_one_troenpy(const std::int64_t *starts, std::size_t n_columns, const double *counts,
                                  double smoothing, double *out) {
    const auto cell = [&](double count, double total) {
        if (!(count > 0)) return 0.0;
        const double others = remainder_of(total, count);
        const double ratio = (count - smoothing) / (smoothing + others);
        const double information =
            ratio < -0.99 ? std::log((count + others) / (smoothing + others)) : std::log1p(ratio);
        return count / (count + others) * information;
    };
    // Most columns have few documents, so the same few numbers occur again and again.
    constexpr std::size_t few = 64;
    std::vector<double> known(few * few);
    for (std::size_t total = 0; total < few; ++total)
        for (std::size_t count = 0; count <= total; ++count)
            known[total * few + count] = cell(static_cast<double>(count), static_cast<double>(total));
    for (std::size_t column = 0; column < n_columns; ++column) {
        const double *begin = counts + starts[column], *end = counts + starts[column + 1];
        const double total = std::accumulate(begin, end, 0.0);
        double sum = 0;
        const auto whole = static_cast<std::size_t>(total > 0 && total < few ? total : 0);
        const auto is_in_table = [&](double count) {
            return count >= 0 && count <= total && count == std::floor(count);
        };
        if (whole != 0 && static_cast<double>(whole) == total && std::all_of(begin, end, is_in_table)) {
            for (const double *count = begin; count < end; ++count)
                sum += known[whole * few + static_cast<std::size_t>(*count)];
        } else {
            for (const double *count = begin; count < end; ++count) sum += cell(*count, total);
        }
        out[column] = sum;
    }
}

// q T(p+) + (1 - q) T(p-) of each column, where q is the column's fraction of all counts, and T is the troenpy of the
// classes inside and outside the column, both shrunk towards the class sizes by `smoothing` pseudo-counts. `classes`
// are the classes of the counts; classes without a count contribute too.
class TwoSided {
public:
    TwoSided(const double *sizes, std::size_t n_classes, double smoothing)
        : sizes_(sizes),
          n_classes_(n_classes),
          smoothing_(smoothing),
          all_(std::accumulate(sizes, sizes + n_classes, 0.0)),
          all_but_largest_(sum_without_largest(sizes, n_classes)),
          few_(static_cast<std::size_t>(std::sqrt(most_known / static_cast<double>(n_classes)))),
          known_(n_classes * few_ * few_, unknown),
          n_rows_(most_known / (n_classes + 1)),
          rows_((n_rows_ + 1) * (n_classes + 1), unknown) {}

    void write(const std::int64_t *starts, std::size_t n_columns, const std::int64_t *classes, const double *counts,
               double *out) {
        for (std::size_t column = 0; column < n_columns; ++column) {
            const auto begin = static_cast<std::size_t>(starts[column]);
            const auto end = static_cast<std::size_t>(starts[column + 1]);
            const double total = std::accumulate(counts + begin, counts + end, 0.0);
            const double *without = values_without(total);
            double sum = without[n_classes_];
            for (std::size_t at = begin; at < end; ++at) {
                const auto i = static_cast<std::size_t>(classes[at]);
                sum += value(i, counts[at], total) - without[i];
            }
            out[column] = sum;
        }
    }

private:
    static constexpr std::size_t most_known = 1 << 16;
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

    // What one class contributes to the troenpy of one side.
    double side(std::size_t i, double count, double others) const {
        const double pseudo = smoothing_ * (sizes_[i] / all_);
        count += pseudo;
        others += pseudo_of_others(pseudo);
        if (!(count > 0)) return 0.0;
        const double ratio = count / others;
        const double information =
            std::isfinite(ratio) ? std::log1p(ratio) : std::log(count + others) - std::log(others);
        return count / (count + others) * information;
    }

    // For a class with nearly all counts the difference would be a rounding error or zero.
    double pseudo_of_others(double pseudo) const {
        const double rest = smoothing_ - pseudo;
        return rest > 1e-9 * smoothing_ ? rest : smoothing_ * (all_but_largest_ / all_);
    }

    static double sum_without_largest(const double *sizes, std::size_t n_classes) {
        const double *largest = std::max_element(sizes, sizes + n_classes);
        return std::accumulate(sizes, largest, 0.0) + std::accumulate(largest + 1, sizes + n_classes, 0.0);
    }

    double both_sides(std::size_t i, double count, double total) const {
        const double left = remainder_of(sizes_[i], count), rest = remainder_of(all_, total);
        const double share = total / all_;
        const double with = share > 0 ? share * side(i, count, remainder_of(total, count)) : 0.0;
        return with + (share < 1 ? (1 - share) * side(i, left, remainder_of(rest, left)) : 0.0);
    }

    // Most columns have few documents, so the same few numbers occur again and again.
    double value(std::size_t i, double count, double total) {
        const std::size_t whole = whole_below(total, few_), part = whole_below(count, few_);
        if (whole == few_ || part == few_) return both_sides(i, count, total);
        double &value = known_[(i * few_ + whole) * few_ + part];
        if (std::isnan(value)) value = both_sides(i, count, total);
        return value;
    }

    // The contribution of every class to a column of this total that has no count of it, and finally their sum.
    const double *values_without(double total) {
        const std::size_t whole = whole_below(total, n_rows_);  // the last row is used for all other totals
        double *row = rows_.data() + whole * (n_classes_ + 1);
        if (whole == n_rows_ || std::isnan(row[n_classes_])) {
            for (std::size_t i = 0; i < n_classes_; ++i) row[i] = both_sides(i, 0.0, total);
            row[n_classes_] = std::accumulate(row, row + n_classes_, 0.0);
        }
        return row;
    }

    // The number if it is an integer below the end, otherwise the end.
    static std::size_t whole_below(double number, std::size_t end) {
        if (!(number >= 0 && number < static_cast<double>(end))) return end;
        const auto whole = static_cast<std::size_t>(number);
        return static_cast<double>(whole) == number ? whole : end;
    }

    const double *sizes_;
    std::size_t n_classes_;
    double smoothing_, all_, all_but_largest_;
    std::size_t few_;
    std::vector<double> known_;
    std::size_t n_rows_;
    std::vector<double> rows_;
};

}  // namespace troenpy::matrix
