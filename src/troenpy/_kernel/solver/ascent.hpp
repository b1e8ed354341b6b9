// Dual coordinate ascent for logistic regression with an L2 penalty: one document at a time, in random order.
//
// Every document has a probability per class, p, and the coefficients are sums of rows: scale X' w (truth -
// p), with weights w. The dual grows when p comes closer to what the coefficients say. With the others fixed,
// the best p of a document solves  log p + a p = decisions + a (p before) - constant,  where a = w (scale^2
// x'x + sigma): a few Newton steps on as many numbers as there are classes. Then the coefficients follow.
// What is held is the logs of p, in single precision, and the coefficients, term by term with the classes
// side by side.
//
// The intercept has no penalty, so its dual is a constraint: the w (truth - p) must sum to zero. It is a
// column of constant sqrt(sigma) with a penalty on its distance from a centre, which moves to it after each
// round (the method of multipliers): that ends at the exact intercept.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "solver/loss.hpp"
#include "solver/rows.hpp"
#include "storage.hpp"

namespace troenpy::solver {

// What a visit needs to know of a row before it reads it; together, as rows are visited at random.
struct Document {
    std::size_t begin, end;  // in the cells of Rows
    std::uint32_t code;
    float weight;
    float squares;  // x'x
    float bend;     // a
};

// All that a visit of a row reads and writes. `width` is the number of decisions,
// or of more than one the next multiple of eight: then what is too much has probability zero.
template <typename Value>
struct Visit {
    const Rows<Value> *rows;
    const Document *documents;
    float scale;
    double sigma;
    std::size_t n_decisions, width;
    float *logs;  // log p, rows x width; of one decision the log odds
    float *coef;  // columns x width
    double *centre, *total;
    float *intercept;  // centre + sigma * total
    double *mean;      // sums of the intercept over visits
    std::size_t n_visits;
    float *room;    // five times the width
    bool is_first;  // visit of each row
    float least;    // rows with less to gain are passed over
    double gap;     // about what there was to gain, row by row
};

// How far from the optimum, with the loss and its derivatives by the intercept.
struct Distance {
    double gap = 0, loss = 0;
    std::vector<double> slope, bend;
};

// The coefficients and the intercept, and what a round adds up.
class Coefficients {
public:
    // `intercept` is where to start; two classes have one decision.
    Coefficients(std::size_t n_columns, std::size_t n_decisions, const double *intercept, bool portable);

    // How strong the sums of rows are, and the penalty of the intercept.
    void set_strength(double strength, double sigma);
    // Scales the coefficients for another strength.
    void change_strength(double strength, double sigma);
    template <typename Value>
    Visit<Value> visit(const Rows<Value> &rows, const Zeros<Document> &documents, float *logs);
    void begin_round();
    void end_round(std::size_t n_visits);

    // The mean over the last round, which is exact once the rounds have converged.
    std::vector<float> mean_intercept() const;
    const std::vector<double> &mean() const { return mean_; }
    // Half the sum of squared coefficients.
    double half_squares() const;
    // The decisions of some rows, by the mean intercept: n x decisions.
    template <typename Value>
    void decide(const Rows<Value> &rows, const Zeros<Document> &documents, const std::int64_t *chosen, std::size_t n,
                double *out);
    // Decisions x columns, in the order of X.
    void read(double *coef, double *intercept) const;

    std::size_t n_columns() const { return coef_.size() / width_; }
    std::size_t n_decisions() const { return centre_.size(); }
    std::size_t width() const { return width_; }
    double sigma() const { return sigma_; }
    bool portable() const { return portable_; }

private:
    std::size_t width_;
    bool portable_;
    double scale_ = 1, sigma_ = 1;
    Zeros<float> coef_;  // read at random: lies on huge pages
    std::vector<float> intercept_, room_;
    std::vector<double> centre_, total_, mean_;
};

template <typename Value>
class Ascent {
public:
    Ascent(const Rows<Value> &rows, const Labels &labels, double strength, const double *intercept, bool portable);

    // Goes on with another strength, from the coefficients of the last.
    void change_strength(double strength);
    // Visits every document once; returns about how far the dual was from the primal when each was visited.
    double climb();
    // A bound on how far the objective is above its minimum, the objective, and its half sum of squared
    // coefficients.
    std::array<double, 3> gap();
    // The decisions of some rows: n x decisions.
    void decide(const std::int64_t *rows, std::size_t n, double *out);
    // Decisions x columns, in the order of X.
    void read(double *coef, double *intercept) const { coefficients_.read(coef, intercept); }

    std::size_t n_rows() const { return rows_.n_rows(); }
    std::size_t n_columns() const { return rows_.n_columns(); }
    std::size_t n_decisions() const { return coefficients_.n_decisions(); }

private:
    const Rows<Value> &rows_;
    std::size_t n_rounds_ = 0;
    double gap_ = 0;
    Zeros<Document> documents_;
    std::vector<std::uint32_t> order_;
    Coefficients coefficients_;
    Zeros<float> logs_;
};

// The same for more rows than fit in memory: they come in batches, the same ones in every pass, and the logs of a
// batch are the caller's to keep until the next pass.
template <typename Value>
class PassAscent {
public:
    PassAscent(std::size_t n_columns, std::size_t n_decisions, double strength, const double *intercept, bool portable);

    // Visits every row of a batch once; logs are rows x width, and only written in the first pass.
    void climb(const Rows<Value> &rows, const Labels &labels, float *logs);
    // Ends a pass; returns about how far the dual was from the primal when each row was visited.
    double end_pass();
    // The decisions of all rows of a batch: rows x decisions.
    void decide(const Rows<Value> &rows, double *out);
    double half_squares() const { return coefficients_.half_squares(); }
    // Decisions x columns, in the order of X.
    void read(double *coef, double *intercept) const { coefficients_.read(coef, intercept); }

    std::size_t n_columns() const { return coefficients_.n_columns(); }
    std::size_t n_decisions() const { return coefficients_.n_decisions(); }
    std::size_t width() const { return coefficients_.width(); }

private:
    double strength_;
    Coefficients coefficients_;
    bool is_first_ = true, is_within_ = false;
    std::uint64_t n_batches_ = 0;
    std::size_t n_visits_ = 0, n_rows_ = 0;
    double gap_ = 0, least_ = 0;
};

}  // namespace troenpy::solver
