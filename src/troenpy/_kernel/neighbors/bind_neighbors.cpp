// Python bindings for the nearest rows of a sparse matrix.

#include "bind.hpp"

#include <nanobind/stl/string.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "neighbors/nearest.hpp"

namespace troenpy::neighbors {

namespace {

template <typename T>
using Matrix = nb::ndarray<T, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Metric metric_by_name(const std::string &name) {
    if (name == "euclidean") return Metric::euclidean;
    if (name == "cosine") return Metric::cosine;
    if (name == "manhattan") return Metric::manhattan;
    if (name == "hellinger") return Metric::hellinger;
    throw std::invalid_argument("metric must be 'euclidean', 'cosine', 'manhattan' or 'hellinger', got '" + name + "'");
}

// Keeps CSR arrays alive. The row borders are copied: if the caller changes columns or values later, results are
// wrong, but changed borders would read out of bounds.
class HeldRows {
public:
    HeldRows(const Array<const std::int64_t> &indptr, Array<const std::int32_t> indices, Array<const double> data)
        : borders_(indptr.data(), indptr.data() + indptr.size()), indices_(indices), data_(data) {
        if (borders_.empty()) throw std::invalid_argument("indptr is empty");
        if (data.size() != indices.size()) throw std::invalid_argument("data and indices differ in length");
    }

    SparseRows view() const { return {borders_.data(), indices_.data(), data_.data(), borders_.size() - 1}; }
    std::size_t n_stored() const { return data_.size(); }

private:
    std::vector<std::int64_t> borders_;
    Array<const std::int32_t> indices_;
    Array<const double> data_;
};

HeldRows held(const nb::handle &arrays) {
    const auto three = nb::cast<nb::tuple>(arrays);
    if (three.size() != 3) throw std::invalid_argument("rows are a tuple of indptr, indices and data");
    return HeldRows(nb::cast<Array<const std::int64_t>>(three[0], false),
                    nb::cast<Array<const std::int32_t>>(three[1], false),
                    nb::cast<Array<const double>>(three[2], false));
}

class NearestRows {
public:
    NearestRows() = default;
    NearestRows(const NearestRows &) = delete;
    NearestRows &operator=(const NearestRows &) = delete;

    void add(const nb::tuple &rows, std::size_t n_columns, const std::string &metric) {
        rows_.push_back(std::make_unique<HeldRows>(held(rows)));
        const HeldRows &kept = *rows_.back();
        const Metric by = metric_by_name(metric);
        if (!spaces_.empty() && kept.view().n_rows != spaces_[0].n_rows())
            throw std::invalid_argument("blocks differ in their number of rows");
        nb::gil_scoped_release release;
        check_rows(kept.view(), kept.n_stored(), n_columns);
        spaces_.emplace_back(kept.view(), n_columns, by);
    }

    void search(const nb::list &queries, bool skips_own_row, unsigned n_threads, Matrix<double> distances,
                Matrix<std::int64_t> rows) const {
        if (spaces_.empty() || queries.size() != spaces_.size())
            throw std::invalid_argument("queries must have as many blocks as were added");
        std::vector<HeldRows> kept;
        for (const nb::handle block : queries) kept.push_back(held(block));
        const std::size_t n_queries = kept[0].view().n_rows, k = distances.shape(1);
        check_shapes(kept, n_queries, k, skips_own_row, distances, rows);
        nb::gil_scoped_release release;
        Search search{{}, k, skips_own_row, n_threads, distances.data(), rows.data()};
        for (std::size_t s = 0; s < kept.size(); ++s) {
            check_rows(kept[s].view(), kept[s].n_stored(), spaces_[s].n_columns());
            search.queries.push_back(kept[s].view());
        }
        find_nearest(spaces_, search);
    }

private:
    void check_shapes(const std::vector<HeldRows> &queries, std::size_t n_queries, std::size_t k, bool skips_own_row,
                      const Matrix<double> &distances, const Matrix<std::int64_t> &rows) const {
        for (const HeldRows &block : queries) {
            if (block.view().n_rows != n_queries)
                throw std::invalid_argument("blocks differ in their number of queries");
        }
        const std::size_t n_rows = spaces_[0].n_rows();
        if (skips_own_row && n_queries > n_rows)
            throw std::invalid_argument("more queries than rows cannot be the rows themselves");
        if (k == 0 || k + (skips_own_row ? 1 : 0) > n_rows)
            throw std::invalid_argument("the number of neighbours must lie between 1 and the number of rows");
        if (distances.shape(0) != n_queries || rows.shape(0) != n_queries || rows.shape(1) != k) {
            throw std::invalid_argument("distances and rows must be of shape (queries, neighbours)");
        }
    }

    std::vector<Space> spaces_;
    std::vector<std::unique_ptr<HeldRows>> rows_;
};

}  // namespace

void bind(nb::module_ &module) {
    nb::class_<NearestRows>(module, "NearestRows")
        .def(nb::init<>())
        .def("add", &NearestRows::add, nb::arg("rows"), nb::arg("n_columns"), nb::arg("metric"))
        .def("search", &NearestRows::search, nb::arg("queries"), nb::arg("skips_own_row"), nb::arg("n_threads"),
             nb::arg("distances").noconvert(), nb::arg("rows").noconvert());
}

}  // namespace troenpy::neighbors
