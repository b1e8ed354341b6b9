// Compiler and processor features beyond standard C++. No other file depends on the compiler or processor.
//
// Everything has a portable version, for compilers other than GCC and Clang, such as MSVC. The CMake option
// TROENPY_PORTABLE selects it for every compiler, so that it can be tested.
//
// TROENPY_X86 is defined if functions may use AVX2 instructions. Such a function is marked with one of the
// TROENPY_TARGETs, and is only called if the processor supports that target.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

static_assert(std::endian::native == std::endian::little, "terms are read from text as little-endian numbers");
static_assert(sizeof(std::size_t) == 8, "lengths are added and multiplied in 64 bits");

#if defined(__GNUC__) && !defined(TROENPY_PORTABLE)  // Clang defines it too, except as clang-cl
#define TROENPY_GNU 1
#endif

#if defined(TROENPY_GNU) && defined(__x86_64__)
#define TROENPY_X86 1
#include <immintrin.h>
#define TROENPY_TARGET_BITS __attribute__((target("popcnt,bmi")))
#define TROENPY_TARGET_AVX2 __attribute__((target("avx2")))
#define TROENPY_TARGET_AVX2_FMA __attribute__((target("avx2,fma")))
#else
#define TROENPY_TARGET_BITS
#endif

// For a loop that is inlined into a function of each target.
#if defined(TROENPY_GNU)
#define TROENPY_ALWAYS_INLINE __attribute__((always_inline)) inline
#else
#define TROENPY_ALWAYS_INLINE inline
#endif

namespace troenpy::cpu {

#if defined(TROENPY_X86)
inline bool has_bit_instructions() { return __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi"); }
inline bool has_avx2() { return __builtin_cpu_supports("avx2"); }
inline bool has_avx2_and_fma() { return has_avx2() && __builtin_cpu_supports("fma"); }
#else
constexpr bool has_bit_instructions() { return false; }
#endif

// Prefetches memory for reading or writing. The address need not be valid. These, and functions that do nothing else,
// must be inlined: GCC takes a function that only prefetches for one without effect, and leaves out the call.
#if defined(TROENPY_GNU)
TROENPY_ALWAYS_INLINE void prefetch(const void *place) { __builtin_prefetch(place); }
TROENPY_ALWAYS_INLINE void prefetch_to_write(const void *place) { __builtin_prefetch(place, 1); }
#else
TROENPY_ALWAYS_INLINE void prefetch(const void *) {}
TROENPY_ALWAYS_INLINE void prefetch_to_write(const void *) {}
#endif

// Reverses the bytes. Compilers turn this pattern into one instruction.
constexpr std::uint64_t reverse_bytes(std::uint64_t x) {
    x = (x & 0x00FF00FF00FF00FF) << 8 | (x >> 8 & 0x00FF00FF00FF00FF);
    x = (x & 0x0000FFFF0000FFFF) << 16 | (x >> 16 & 0x0000FFFF0000FFFF);
    return x << 32 | x >> 32;
}
static_assert(reverse_bytes(0x0102030405060708) == 0x0807060504030201);

// The exclusive or of the two halves of a 128-bit product.
constexpr std::uint64_t fold_product_plainly(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t low = 0xFFFFFFFF;
    const std::uint64_t least = (a & low) * (b & low), middle = (a >> 32) * (b & low) + (least >> 32);
    const std::uint64_t other = (a & low) * (b >> 32) + (middle & low);
    const std::uint64_t high = (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
    return (other << 32 | (least & low)) ^ high;
}
static_assert(fold_product_plainly(~std::uint64_t{0}, ~std::uint64_t{0}) == ~std::uint64_t{0});
static_assert(fold_product_plainly(0x123456789ABCDEF0, 0xFEDCBA9876543210) == 0x317228F48165BB22);

#if defined(TROENPY_GNU)
__extension__ using Wide = unsigned __int128;
constexpr std::uint64_t fold_product(std::uint64_t a, std::uint64_t b) {
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}
#else
constexpr std::uint64_t fold_product(std::uint64_t a, std::uint64_t b) { return fold_product_plainly(a, b); }
#endif

// A vector of n numbers: addition, and multiplication by a scalar.
template <typename T, std::size_t n>
struct PlainLanes {
    T values[n];

    PlainLanes &operator+=(const PlainLanes &other) {
        for (std::size_t i = 0; i < n; ++i) values[i] += other.values[i];
        return *this;
    }
    friend PlainLanes operator*(T factor, PlainLanes lanes) {
        for (std::size_t i = 0; i < n; ++i) lanes.values[i] *= factor;
        return lanes;
    }
};

#if defined(TROENPY_GNU)
template <typename T, std::size_t n>
struct VectorOf {
    typedef T type __attribute__((vector_size(n * sizeof(T))));
};
template <typename T, std::size_t n>
using Lanes = typename VectorOf<T, n>::type;
#else
template <typename T, std::size_t n>
using Lanes = PlainLanes<T, n>;
#endif

}  // namespace troenpy::cpu
