// Products with the Gram matrix X X', and with X', for a sparse X whose blocks share one sparsity pattern.
//
// X is stored by column: for every term the rows that have it, and for each row the values of all blocks, next to
// each other. For each term, X' q is summed in registers (blocks x columns of q) and immediately added to the rows
// of X (X' q). So nothing of size terms x blocks x columns of q is stored, and the vectors that are read and
// written, rows x columns of q, mostly fit in a cache.
//
// Columns are split into shards that depend only on the data. Each has its own sum, and the sums are added in order,
// so the result is the same for any number of threads.

#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace troenpy::gram {

template <typename Value>
class BlockGram {
public:
    // Checks the CSR arrays: each row has its values in block 0, then the same columns in block 1, and so on.
    template <typename Index>
    BlockGram(const Value *data, const Index *indices, const Index *indptr, std::size_t n_rows, std::size_t n_terms,
              std::size_t n_blocks, bool portable);

    std::size_t n_rows() const { return n_rows_; }
    std::size_t n_terms() const { return starts_.size() - 1; }
    std::size_t n_blocks() const { return n_blocks_; }

    // out = X X' q, both of shape (n_rows, width) in C order.
    void multiply(const double *q, std::size_t width, double *out, unsigned n_threads);

    // out = q' X, of shape (width, n_blocks * n_terms) in C order; sums are in double.
    void combine(const double *q, std::size_t width, double *out, unsigned n_threads) const;

private:
    void split();
    void combine_terms(const double *q, std::size_t width, double *out, std::size_t first, std::size_t last,
                       std::vector<double> &tile) const;

    std::size_t n_rows_, n_blocks_;
    bool portable_;
    std::vector<std::size_t> starts_;  // of each term, in rows_
    std::vector<std::uint32_t> rows_;
    std::vector<Value> values_;         // n_blocks for each of rows_
    std::vector<std::size_t> borders_;  // terms at which a shard begins
    std::vector<Value> from_, sums_;    // buffers of multiply: q and one sum per shard
    std::mutex mutex_;                  // guards these buffers
};

}  // namespace troenpy::gram
