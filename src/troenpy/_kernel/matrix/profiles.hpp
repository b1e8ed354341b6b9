// Class profiles: sums over the terms of a document of their class counts.

#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "cpu.hpp"
#include "parallel.hpp"
#include "storage.hpp"

namespace troenpy::matrix {

// Documents per class and term: a CSC matrix of classes by terms.
template <typename Index, typename Count>
struct ClassTable {
    const Index *indptr, *classes;
    const Count *counts;
    const double *totals;  // of each column
    std::size_t n_columns, n_classes;
};

// The data of every column that profiles need, in one place. Terms that occur in at least an eighth of the classes are
// stored as dense rows of classes. Most terms of a document are of this kind, and a dense row is added several classes
// at a time, without mispredicted branches. Once built it does not change, so that threads can share it.
class TermProfiles {
public:
    static constexpr std::size_t width = 4;  // dense rows are padded to a multiple of this many classes

    enum class Kind : std::uint32_t { row, single, several };
    struct Term {
        double weight, total;
        union {
            double count;            // of a single class
            std::size_t first_cell;  // of several
        };
        Kind kind;
        std::uint32_t number;  // of its dense row, of its single class, or how many classes it has
    };
    struct Cell {
        double count;
        std::uint32_t class_number;
    };

    template <typename Index, typename Count>
    TermProfiles(const ClassTable<Index, Count> &table, const double *weights)
        : n_classes_(table.n_classes), stride_((table.n_classes + width - 1) / width * width), terms_(table.n_columns) {
        std::size_t n_rows = 0;
        for (std::size_t column = 0; column < table.n_columns; ++column) {
            Term &term = terms_[column];
            term.weight = weights[column];
            term.total = table.totals[column];
            n_rows += add_term(table, static_cast<std::size_t>(table.indptr[column]),
                               static_cast<std::size_t>(table.indptr[column + 1]), n_rows, term);
        }
        rows_ = Zeros<double>(n_rows * stride_);
        for (std::size_t column = 0; column < table.n_columns; ++column) {
            if (terms_[column].kind != Kind::row) continue;
            double *row = rows_.data() + terms_[column].number * stride_;
            for (Index cell = table.indptr[column]; cell < table.indptr[column + 1]; ++cell)
                row[table.classes[cell]] = static_cast<double>(table.counts[cell]);
        }
    }

    std::size_t n_columns() const { return terms_.size(); }
    std::size_t n_classes() const { return n_classes_; }
    const Term &operator[](std::size_t column) const { return terms_[column]; }
    TROENPY_ALWAYS_INLINE void prefetch(std::size_t column) const { cpu::prefetch(terms_.data() + column); }
    // Prefetches dense row `number`.
    const double *prefetch_row(std::uint32_t number) const {
        const double *row = rows_.data() + number * stride_;
        for (std::size_t i = 0; i < stride_; i += 8) cpu::prefetch(row + i);
        return row;
    }
    std::size_t stride() const { return stride_; }
    const Cell *cells() const { return cells_.data(); }

private:
    // Decides how to store the cells [begin, end) of a term. Returns the number of dense rows it needs, 0 or 1.
    template <typename Index, typename Count>
    std::size_t add_term(const ClassTable<Index, Count> &table, std::size_t begin, std::size_t end, std::size_t n_rows,
                         Term &term) {
        if (end > begin && 8 * (end - begin) >= table.n_classes) {
            term.kind = Kind::row;
            term.number = static_cast<std::uint32_t>(n_rows);
            return 1;
        }
        if (end - begin == 1) {
            term.kind = Kind::single;
            term.number = static_cast<std::uint32_t>(table.classes[begin]);
            term.count = static_cast<double>(table.counts[begin]);
            return 0;
        }
        term.kind = Kind::several;
        term.number = static_cast<std::uint32_t>(end - begin);
        term.first_cell = cells_.size();
        for (std::size_t cell = begin; cell < end; ++cell)
            cells_.push_back(
                {static_cast<double>(table.counts[cell]), static_cast<std::uint32_t>(table.classes[cell])});
        return 0;
    }

    std::size_t n_classes_, stride_;
    std::vector<Term> terms_;
    std::vector<Cell> cells_;  // of terms with several classes that have no dense row
    Zeros<double> rows_;
};

// A dense row of classes, and the factor to multiply it by.
struct Share {
    const double *counts;
    double factor;
};

// sums[i] = sum factor x counts[i], for several classes at a time in registers.
void sum_shares(const Share *shares, std::size_t n_shares, std::size_t stride, double *sums);

// For every row: with a = data x weight and b = a / (total - left_out + smoothing), summed over its terms,
// sums[row] = { sum a, sum b } and out[row][class] = sum b x count.
template <typename Value, typename Index>
struct Profiles {
    const Value *data;
    const Index *indices, *indptr;
    std::size_t n_rows;
    const double *left_out;  // what to subtract from the totals, for each row
    double smoothing;
    double *out;  // must be zero initially
    double *sums;
};

template <typename Value, typename Index>
class ProfileWriter {
public:
    ProfileWriter(const Profiles<Value, Index> &profiles, const TermProfiles &terms)
        : profiles_(profiles), terms_(terms), row_sums_(terms.stride()) {}

    void write(std::size_t row) {
        constexpr std::size_t ahead = 16;
        const auto begin = static_cast<std::size_t>(profiles_.indptr[row]);
        const auto end = static_cast<std::size_t>(profiles_.indptr[row + 1]);
        const double left_out = profiles_.left_out[row], smoothing = profiles_.smoothing;
        double *by_class = profiles_.out + row * terms_.n_classes();
        double sum = 0, shrunk_sum = 0;
        std::size_t n_shares = 0;
        if (shares_.size() < end - begin) shares_.resize(end - begin);
        for (std::size_t at = begin; at < end; ++at) {
            const auto column = static_cast<std::uint64_t>(profiles_.indices[at]);
            if (column >= terms_.n_columns()) throw std::out_of_range("a column index is outside the weights");
            if (at + ahead < end) terms_.prefetch(static_cast<std::size_t>(profiles_.indices[at + ahead]));
            const TermProfiles::Term &term = terms_[column];
            const double value = static_cast<double>(profiles_.data[at]) * term.weight;
            const double shrunk = value / (term.total - left_out + smoothing);
            sum += value;
            shrunk_sum += shrunk;
            if (term.kind == TermProfiles::Kind::row) {
                shares_[n_shares++] = {terms_.prefetch_row(term.number), shrunk};
            } else {
                add_cells(term, shrunk, by_class);
            }
        }
        sum_shares(shares_.data(), n_shares, terms_.stride(), row_sums_.data());
        for (std::size_t i = 0; i < terms_.n_classes(); ++i) by_class[i] += row_sums_[i];
        profiles_.sums[2 * row] = sum;
        profiles_.sums[2 * row + 1] = shrunk_sum;
    }

private:
    void add_cells(const TermProfiles::Term &term, double shrunk, double *by_class) const {
        if (term.kind == TermProfiles::Kind::single) {
            by_class[term.number] += shrunk * term.count;
            return;
        }
        const TermProfiles::Cell *cells = terms_.cells() + term.first_cell;
        for (std::size_t i = 0; i < term.number; ++i) by_class[cells[i].class_number] += shrunk * cells[i].count;
    }

    const Profiles<Value, Index> &profiles_;
    const TermProfiles &terms_;
    std::vector<Share> shares_;
    std::vector<double> row_sums_;
};

template <typename Value, typename Index>
void write_profiles(const Profiles<Value, Index> &profiles, const TermProfiles &terms, unsigned n_threads) {
    constexpr std::size_t rows_per_task = 512;
    const std::size_t n_tasks = (profiles.n_rows + rows_per_task - 1) / rows_per_task;
    run_tasks(n_threads, n_tasks, [&](unsigned, std::size_t task, Watch &watch) {
        watch.check();
        ProfileWriter<Value, Index> writer(profiles, terms);
        const std::size_t last = std::min(profiles.n_rows, (task + 1) * rows_per_task);
        for (std::size_t row = task * rows_per_task; row < last; ++row) writer.write(row);
    });
}

}  // namespace troenpy::matrix
