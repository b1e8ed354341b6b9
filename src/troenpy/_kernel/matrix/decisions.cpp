#include "matrix/decisions.hpp"

namespace troenpy::matrix {

namespace {

// No fused multiply-add: the same numbers on every machine.
template <typename Coefficient>
TROENPY_ALWAYS_INLINE void add_each(double value, const Coefficient *coef, std::size_t n, double *sums) {
    for (std::size_t i = 0; i < n; ++i) sums[i] += value * static_cast<double>(coef[i]);
}

template <typename Coefficient>
using Add = void (*)(double value, const Coefficient *coef, std::size_t n, double *sums);

template <typename Coefficient>
void portable_add(double value, const Coefficient *coef, std::size_t n, double *sums) {
    add_each(value, coef, n, sums);
}

#if defined(TROENPY_X86)
template <typename Coefficient>
TROENPY_TARGET_AVX2 void avx2_add(double value, const Coefficient *coef, std::size_t n, double *sums) {
    add_each(value, coef, n, sums);
}

template <typename Coefficient>
Add<Coefficient> fastest() {
    return cpu::has_avx2() ? avx2_add<Coefficient> : portable_add<Coefficient>;
}
#else
template <typename Coefficient>
Add<Coefficient> fastest() {
    return portable_add<Coefficient>;
}
#endif

}  // namespace

void add_scaled(double value, const float *coef, std::size_t n, double *sums) {
    static const Add<float> add = fastest<float>();
    add(value, coef, n, sums);
}

void add_scaled(double value, const double *coef, std::size_t n, double *sums) {
    static const Add<double> add = fastest<double>();
    add(value, coef, n, sums);
}

}  // namespace troenpy::matrix
