// What the terms of a document say of the classes, summed up.

#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "cpu.hpp"
#include "parallel.hpp"
#include "storage.hpp"

namespace troenpy::matrix {

// Documents per class and term, by term: a CSC matrix with classes as rows.
struct ClassTable {
    const std::int64_t *indptr, *classes;
    const double *counts;
    const double *totals;  // of each column
    std::size_t n_columns, n_classes;
};

// What profiles need of every column, in one place; and the terms that at least an eighth of the classes hold
// as whole rows of classes. These are most of what documents hold, and a whole row is added several classes
// at a time, without a guess how many there are.
class TermProfiles {
public:
    static constexpr std::size_t width = 4;  // rows have a multiple of so many classes, the last ones empty

    enum class Kind : std::uint32_t { row, single, several };
    struct Term {
        double weight, total;
        union {
            double count;             // of a single class
            std::int64_t first_cell;  // of several
        };
        Kind kind;
        std::uint32_t number;  // of its row, of its single class, or of its cells
    };

    TermProfiles(const ClassTable &table, const double *weights)
        : stride_((table.n_classes + width - 1) / width * width), terms_(table.n_columns) {
        std::uint32_t n_rows = 0;
        for (std::size_t column = 0; column < table.n_columns; ++column) {
            const std::int64_t begin = table.indptr[column], end = table.indptr[column + 1];
            Term &term = terms_[column];
            term.weight = weights[column];
            term.total = table.totals[column];
            if (end > begin && 8 * static_cast<std::uint64_t>(end - begin) >= table.n_classes) {
                term.kind = Kind::row;
                term.number = n_rows++;
            } else if (end - begin == 1) {
                term.kind = Kind::single;
                term.number = static_cast<std::uint32_t>(table.classes[begin]);
                term.count = table.counts[begin];
            } else {
                term.kind = Kind::several;
                term.number = static_cast<std::uint32_t>(end - begin);
                term.first_cell = begin;
            }
        }
        rows_ = Zeros<double>(n_rows * stride_);
        for (std::size_t column = 0; column < table.n_columns; ++column) {
            if (terms_[column].kind != Kind::row) continue;
            double *row = rows_.data() + terms_[column].number * stride_;
            for (std::int64_t cell = table.indptr[column]; cell < table.indptr[column + 1]; ++cell)
                row[table.classes[cell]] = table.counts[cell];
        }
    }

    const Term &operator[](std::size_t column) const { return terms_[column]; }
    void prefetch(std::size_t column) const { cpu::prefetch(terms_.data() + column); }
    const double *row(std::uint32_t number) const { return rows_.data() + number * stride_; }
    std::size_t stride() const { return stride_; }

private:
    std::size_t stride_;
    std::vector<Term> terms_;
    Zeros<double> rows_;
};

// A whole row of classes, and how much of it to add.
struct Share {
    const double *counts;
    double factor;
};

// sums[i] = sum factor x counts[i], several classes at a time, which stay in registers.
void sum_shares(const Share *shares, std::size_t n_shares, std::size_t stride, double *sums);

// For every row, what its terms say of the classes, each term by its own distribution over them: with
// a = data x weight and b = a / (total - left_out + smoothing), sums[row] = { sum a, sum b } and
// out[row][class] = sum b x count. `left_out` is what to take from the totals of the terms of that row. Out
// is given as zeros.
template <typename Value, typename Index>
void class_profiles(const Value *data, const Index *indices, const Index *indptr, std::size_t n_rows,
                    const double *weights, const ClassTable &table, const double *left_out, double smoothing,
                    double *out, double *sums, unsigned n_threads) {
    constexpr std::size_t rows_per_task = 512, ahead = 16;
    const TermProfiles terms(table, weights);
    run_tasks(n_threads, (n_rows + rows_per_task - 1) / rows_per_task,
              [&](unsigned, std::size_t task, Watch &watch) {
                  const std::size_t first = task * rows_per_task,
                                    last = std::min(n_rows, first + rows_per_task);
                  watch.check();
                  std::vector<Share> shares;
                  std::vector<double> row_sums(terms.stride());
                  for (std::size_t row = first; row < last; ++row) {
                      double *by_class = out + row * table.n_classes;
                      double sum = 0, shrunk_sum = 0;
                      const auto begin = static_cast<std::size_t>(indptr[row]);
                      const auto end = static_cast<std::size_t>(indptr[row + 1]);
                      if (shares.size() < end - begin) shares.resize(end - begin);
                      std::size_t n_shares = 0;
                      for (std::size_t at = begin; at < end; ++at) {
                          const auto column = static_cast<std::uint64_t>(indices[at]);
                          if (column >= table.n_columns)
                              throw std::out_of_range("a column index is outside the weights");
                          if (at + ahead < end) terms.prefetch(static_cast<std::size_t>(indices[at + ahead]));
                          const TermProfiles::Term &term = terms[column];
                          const double value = static_cast<double>(data[at]) * term.weight;
                          const double shrunk = value / (term.total - left_out[row] + smoothing);
                          sum += value;
                          shrunk_sum += shrunk;
                          if (term.kind == TermProfiles::Kind::row) {
                              const double *counts = terms.row(term.number);
                              for (std::size_t i = 0; i < terms.stride(); i += 8)
                                  cpu::prefetch(counts + i);
                              shares[n_shares++] = {counts, shrunk};
                          } else if (term.kind == TermProfiles::Kind::single) {
                              by_class[term.number] += shrunk * term.count;
                          } else {
                              for (std::int64_t cell = term.first_cell; cell < term.first_cell + term.number;
                                   ++cell)
                                  by_class[table.classes[cell]] += shrunk * table.counts[cell];
                          }
                      }
                      sum_shares(shares.data(), n_shares, terms.stride(), row_sums.data());
                      for (std::size_t i = 0; i < table.n_classes; ++i) by_class[i] += row_sums[i];
                      sums[2 * row] = sum;
                      sums[2 * row + 1] = shrunk_sum;
                  }
              });
}

}  // namespace troenpy::matrix
