#include "gram/gram.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "cpu.hpp"
#include "parallel.hpp"

namespace troenpy::gram {

namespace {

template <typename T>
struct Terms {
    const std::size_t *starts;
    const std::uint32_t *rows;
    const T *values;
    std::size_t stride;  // between the values of consecutive rows
};

template <typename T>
using Sweep = void (*)(const Terms<T> &, std::size_t first, std::size_t last, const T *from, T *to, std::size_t width);

// What fits in the registers; more blocks or columns are processed in groups.
constexpr std::size_t max_blocks = 4, max_width = 24;

namespace portable {
using cpu::add_product;
#define TROENPY_TARGET
#include "gram/gram_loops.hpp"
#undef TROENPY_TARGET
}  // namespace portable

#if defined(TROENPY_X86)
namespace avx2 {
using cpu::fused::add_product;
#define TROENPY_TARGET TROENPY_TARGET_AVX2_FMA
#include "gram/gram_loops.hpp"
#undef TROENPY_TARGET
}  // namespace avx2
#endif

template <typename T>
Sweep<T> best_sweep(std::size_t n_blocks, std::size_t width, [[maybe_unused]] bool portable) {
#if defined(TROENPY_X86)
    static const bool has_avx2 = cpu::has_avx2_and_fma();
    if (has_avx2 && !portable) return avx2::choose<T>(n_blocks, width);
#endif
    return portable::choose<T>(n_blocks, width);
}

std::size_t padded(std::size_t width) { return width == 1 ? 1 : (width + 3) / 4 * 4; }

}  // namespace

template <typename Value>
template <typename Index>
BlockGram<Value>::BlockGram(const Value *data, const Index *indices, const Index *indptr, std::size_t n_rows,
                            std::size_t n_terms, std::size_t n_blocks, bool portable)
    : n_rows_(n_rows), n_blocks_(n_blocks), portable_(portable), starts_(n_terms + 1, 0) {
    if (n_rows > std::numeric_limits<std::uint32_t>::max()) throw std::invalid_argument("more than 2**32 - 1 rows");
    const auto length = [&](std::size_t row) {
        return static_cast<std::size_t>(indptr[row + 1] - indptr[row]) / n_blocks;
    };
    for (std::size_t row = 0; row < n_rows; ++row) {
        const auto begin = static_cast<std::size_t>(indptr[row]);
        const std::size_t n = length(row);
        bool is_one_pattern = begin + n * n_blocks == static_cast<std::size_t>(indptr[row + 1]);
        for (std::size_t i = 0; i < n; ++i) {
            const auto term = static_cast<std::uint64_t>(indices[begin + i]);
            if (term >= n_terms) {
                throw std::out_of_range("a column index is outside the first block");
            }
            ++starts_[term + 1];
            for (std::size_t b = 1; b < n_blocks; ++b) {
                is_one_pattern &= static_cast<std::uint64_t>(indices[begin + b * n + i]) == term + b * n_terms;
            }
        }
        if (!is_one_pattern) throw std::invalid_argument("the blocks of a row differ in their columns");
    }
    for (std::size_t term = 0; term < n_terms; ++term) starts_[term + 1] += starts_[term];
    rows_.resize(starts_.back());
    values_.resize(starts_.back() * n_blocks);
    std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
    for (std::size_t row = 0; row < n_rows; ++row) {
        const auto begin = static_cast<std::size_t>(indptr[row]);
        const std::size_t n = length(row);
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t at = next[static_cast<std::size_t>(indices[begin + i])]++;
            rows_[at] = static_cast<std::uint32_t>(row);
            for (std::size_t b = 0; b < n_blocks; ++b) values_[at * n_blocks + b] = data[begin + b * n + i];
        }
    }
    split();
}

// The sum of a shard costs as much as a few values per row, so there are at most as many shards as values per row.
template <typename Value>
void BlockGram<Value>::split() {
    const std::size_t n_shards = std::clamp<std::size_t>(rows_.size() / (16 * std::max<std::size_t>(n_rows_, 1)), 1, 8);
    borders_.assign(1, 0);
    for (std::size_t shard = 1; shard < n_shards; ++shard) {
        const auto place = std::lower_bound(starts_.begin(), starts_.end(), rows_.size() * shard / n_shards);
        borders_.push_back(std::min<std::size_t>(static_cast<std::size_t>(place - starts_.begin()), n_terms()));
    }
    borders_.push_back(n_terms());
}

template <typename Value>
void BlockGram<Value>::multiply(const double *q, std::size_t width, double *out, unsigned n_threads) {
    constexpr std::size_t terms_per_look = 256;
    const std::lock_guard lock(mutex_);
    const std::size_t wide = padded(width), n_shards = borders_.size() - 1, size = n_rows_ * wide;
    from_.assign(size, 0);
    for (std::size_t row = 0; row < n_rows_; ++row)
        std::transform(q + row * width, q + (row + 1) * width, from_.begin() + static_cast<std::ptrdiff_t>(row * wide),
                       [](double value) { return static_cast<Value>(value); });
    sums_.resize(size * n_shards);
    run_tasks(n_threads, n_shards, [&](unsigned, std::size_t shard, Watch &watch) {
        Value *sums = sums_.data() + shard * size;
        std::fill(sums, sums + size, Value(0));
        for (std::size_t block = 0; block < n_blocks_; block += max_blocks) {
            const Terms<Value> terms{starts_.data(), rows_.data(), values_.data() + block, n_blocks_};
            for (std::size_t column = 0; column < wide; column += max_width) {
                const auto sweep = best_sweep<Value>(std::min(n_blocks_ - block, max_blocks),
                                                     std::min(wide - column, max_width), portable_);
                for (std::size_t term = borders_[shard]; term < borders_[shard + 1]; term += terms_per_look) {
                    watch.check();
                    sweep(terms, term, std::min(term + terms_per_look, borders_[shard + 1]), from_.data() + column,
                          sums + column, wide);
                }
            }
        }
    });
    for (std::size_t row = 0; row < n_rows_; ++row) {
        for (std::size_t k = 0; k < width; ++k) {
            double sum = 0;
            for (std::size_t shard = 0; shard < n_shards; ++shard) sum += sums_[shard * size + row * wide + k];
            out[row * width + k] = sum;
        }
    }
}

template <typename Value>
void BlockGram<Value>::combine(const double *q, std::size_t width, double *out, unsigned n_threads) const {
    constexpr std::size_t terms_per_task = 16;  // written as runs of 128 bytes
    run_tasks(n_threads, (n_terms() + terms_per_task - 1) / terms_per_task, [&](unsigned, std::size_t task, Watch &) {
        const std::size_t first = task * terms_per_task;
        std::vector<double> tile;
        combine_terms(q, width, out, first, std::min(first + terms_per_task, n_terms()), tile);
    });
}

template <typename Value>
void BlockGram<Value>::combine_terms(const double *q, std::size_t width, double *out, std::size_t first,
                                     std::size_t last, std::vector<double> &tile) const {
    const std::size_t n_sums = n_blocks_ * width;
    tile.assign((last - first) * n_sums, 0);
    for (std::size_t term = first; term < last; ++term) {
        for (std::size_t at = starts_[term]; at < starts_[term + 1]; ++at) {
            const double *row = q + rows_[at] * width;
            for (std::size_t b = 0; b < n_blocks_; ++b) {
                const double x = values_[at * n_blocks_ + b];
                double *sums = tile.data() + (term - first) * n_sums + b * width;
                for (std::size_t k = 0; k < width; ++k) sums[k] += x * row[k];
            }
        }
    }
    for (std::size_t k = 0; k < width; ++k) {
        for (std::size_t b = 0; b < n_blocks_; ++b) {
            double *to = out + (k * n_blocks_ + b) * n_terms();
            for (std::size_t term = first; term < last; ++term)
                to[term] = tile[(term - first) * n_sums + b * width + k];
        }
    }
}

template class BlockGram<float>;
template class BlockGram<double>;
template BlockGram<float>::BlockGram(const float *, const std::int32_t *, const std::int32_t *, std::size_t,
                                     std::size_t, std::size_t, bool);
template BlockGram<float>::BlockGram(const float *, const std::int64_t *, const std::int64_t *, std::size_t,
                                     std::size_t, std::size_t, bool);
template BlockGram<double>::BlockGram(const double *, const std::int32_t *, const std::int32_t *, std::size_t,
                                      std::size_t, std::size_t, bool);
template BlockGram<double>::BlockGram(const double *, const std::int64_t *, const std::int64_t *, std::size_t,
                                      std::size_t, std::size_t, bool);

}  // namespace troenpy::gram
