// Decision values straight from the counts of documents: the features of a row exist only while it is scored.
//
// The steps are those of the matrices: profile, blocks, product with the coefficients, with the same roundings.

#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "matrix/decisions.hpp"
#include "matrix/profiles.hpp"
#include "matrix/stack.hpp"

namespace troenpy::matrix {

// What a fitted view makes from counts: blocks of terms, then a dense class profile if there are class sizes.
struct ViewFeatures {
    std::vector<Block> blocks;
    const double *weights;  // [block][column]
    std::size_t n_columns;
    const TermProfiles *profiles;  // or nullptr
    const double *sizes;           // documents of each class
    double n_labels;               // the sum of the sizes
    double smoothing, scale;

    std::size_t n_classes() const { return profiles == nullptr ? 0 : profiles->n_classes(); }
    std::size_t n_features() const { return blocks.size() * n_columns + n_classes(); }
};

// Scores rows one after the other, in one thread.
template <typename Value, typename Coefficient>
class Scorer {
public:
    // coef is [feature][decision].
    Scorer(const ViewFeatures &features, const Coefficient *coef, std::size_t n_decisions)
        : features_(features), stack_writer_(stack_), by_class_(features.n_classes()), tail_(features.n_classes()) {
        stack_.n_rows = profiles_.n_rows = decisions_.n_rows = 1;
        stack_.indptr = profiles_.indptr = borders_;
        stack_.weights = features.weights;
        stack_.n_sets = 1;
        stack_.n_columns = features.n_columns;
        stack_.sets = &set_;
        stack_.blocks = features.blocks;
        stack_.tail = tail_.data();
        stack_.n_tail = tail_.size();
        profiles_.left_out = &left_out_;
        profiles_.smoothing = features.smoothing;
        profiles_.out = by_class_.data();
        profiles_.sums = sums_;
        decisions_.coef = coef;
        decisions_.n_columns = features.n_features();
        decisions_.n_decisions = n_decisions;
        if (features.profiles != nullptr) profile_writer_.emplace(profiles_, *features.profiles);
    }
    Scorer(const Scorer &) = delete;
    Scorer &operator=(const Scorer &) = delete;

    // The row to fill: counts and columns, ascending.
    std::vector<Value> counts;
    std::vector<std::int64_t> columns;

    // Adds the products of the row to `decisions`.
    void score(double *decisions) {
        borders_[1] = static_cast<std::int64_t>(columns.size());
        if (profile_writer_) write_profile();
        const std::size_t n_values = columns.size() * features_.blocks.size() + tail_.size();
        if (values_.size() < n_values) {
            values_.resize(n_values + n_values / 2);
            value_columns_.resize(values_.size());
        }
        stack_.counts = counts.data();
        stack_.indices = columns.data();
        stack_.out = values_.data();
        stack_.out_indices = value_columns_.data();
        stack_writer_.write(0);
        decisions_.data = values_.data();
        decisions_.indices = value_columns_.data();
        add_products(decisions_, 0, n_values, decisions);
    }

private:
    // The fractions of the classes, as troenpy.features.class_shares finishes them.
    void write_profile() {
        std::fill(by_class_.begin(), by_class_.end(), 0.0);
        profiles_.data = counts.data();
        profiles_.indices = columns.data();
        profile_writer_->write(0);
        const double rest = features_.n_labels;
        const bool is_known = sums_[0] > 0;
        const double total = is_known ? sums_[0] : rest;
        const double pseudo = is_known ? features_.smoothing * sums_[1] / rest : 1.0;
        for (std::size_t i = 0; i < by_class_.size(); ++i) {
            const auto root = static_cast<Value>(std::sqrt((by_class_[i] + pseudo * features_.sizes[i]) / total));
            tail_[i] = features_.scale == 1 ? root : root * static_cast<Value>(features_.scale);
        }
    }

    const ViewFeatures &features_;
    // One row: its borders, its set of weights, what its profile leaves out.
    std::int64_t borders_[2] = {0, 0};
    const std::int64_t set_ = 0;
    const double left_out_ = 0;
    double sums_[2] = {0, 0};
    Stack<Value, std::int64_t> stack_{};
    StackWriter<Value, std::int64_t> stack_writer_;
    Profiles<Value, std::int64_t> profiles_{};
    std::optional<ProfileWriter<Value, std::int64_t>> profile_writer_;
    Decisions<Value, std::int64_t, Coefficient> decisions_{};
    std::vector<double> by_class_;
    std::vector<Value> tail_, values_;
    std::vector<std::int64_t> value_columns_;
};

}  // namespace troenpy::matrix
