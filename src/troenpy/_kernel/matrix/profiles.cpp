#include "matrix/profiles.hpp"

#include <cstring>

namespace troenpy::matrix {

namespace {

constexpr std::size_t width = TermProfiles::width;

// The classes of one step, in one or two registers. Without this, compilers vectorise over rows and spend their time
// on shuffling values.
using Part = cpu::Lanes<double, width>;

template <std::size_t n_parts>
TROENPY_ALWAYS_INLINE void sum_parts(const Share *shares, std::size_t n_shares, std::size_t first, double *sums) {
    Part parts[n_parts] = {};
    for (std::size_t k = 0; k < n_shares; ++k) {
        for (std::size_t i = 0; i < n_parts; ++i) {
            Part counts;
            std::memcpy(&counts, shares[k].counts + first + i * width, sizeof(counts));
            parts[i] += shares[k].factor * counts;
        }
    }
    std::memcpy(sums + first, parts, sizeof(parts));
}

TROENPY_ALWAYS_INLINE void sum_all(const Share *shares, std::size_t n_shares, std::size_t stride, double *sums) {
    std::size_t i = 0;
    for (; i + 4 * width <= stride; i += 4 * width) sum_parts<4>(shares, n_shares, i, sums);
    for (; i < stride; i += width) sum_parts<1>(shares, n_shares, i, sums);
}

using Sum = void (*)(const Share *, std::size_t, std::size_t, double *);

void portable_sum(const Share *shares, std::size_t n_shares, std::size_t stride, double *sums) {
    sum_all(shares, n_shares, stride, sums);
}

#if defined(TROENPY_X86)
// No fused multiply-add: the same numbers on every machine.
TROENPY_TARGET_AVX2 void avx2_sum(const Share *shares, std::size_t n_shares, std::size_t stride, double *sums) {
    sum_all(shares, n_shares, stride, sums);
}

Sum fastest() { return cpu::has_avx2() ? avx2_sum : portable_sum; }
#else
Sum fastest() { return portable_sum; }
#endif

}  // namespace

void sum_shares(const Share *shares, std::size_t n_shares, std::size_t stride, double *sums) {
    static const Sum sum = fastest();
    sum(shares, n_shares, stride, sums);
}

}  // namespace troenpy::matrix
