// Memory for the inner loops: uninitialised arrays, and zeroed pages for hash tables.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace troenpy {

constexpr std::size_t huge_page = std::size_t{1} << 21;

// Asks for huge pages within a large array that is accessed at random: with small pages address translation is half the
// cost. Only Linux has them, and they are only used for memory that has not been touched.
inline void ask_for_huge_pages([[maybe_unused]] void *memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
    const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + huge_page - 1) / huge_page * huge_page;
    const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / huge_page * huge_page;
    if (begin < end) madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

// Memory that release_aligned() frees.
inline void *allocate_aligned(std::size_t alignment, std::size_t bytes) {
#if defined(__linux__)
    void *memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
#else
    return ::operator new(bytes, std::align_val_t{alignment});
#endif
}

inline void release_aligned(void *memory, [[maybe_unused]] std::size_t alignment) {
#if defined(__linux__)
    std::free(memory);
#else
    ::operator delete(memory, std::align_val_t{alignment});
#endif
}

// A growing array of plain values. std::vector would initialise values that are about to be overwritten.
template <typename T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);
    static constexpr bool is_overaligned = alignof(T) > alignof(std::max_align_t);  // realloc would not align

public:
    Buffer() = default;
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
    Buffer(Buffer &&other) noexcept { swap(other); }
    Buffer &operator=(Buffer &&other) noexcept {
        swap(other);
        return *this;
    }
    ~Buffer() { release(values_); }

    T *data() { return values_; }
    const T *data() const { return values_; }
    T &operator[](std::size_t i) { return values_[i]; }
    const T &operator[](std::size_t i) const { return values_[i]; }

    void reserve(std::size_t n) {
        if (n > capacity_) resize_to(n > 2 * capacity_ ? n : 2 * capacity_);
    }

    // Frees the memory beyond n values, if there is enough of it to be worth a system call.
    void shrink_to(std::size_t n) {
        if (n < capacity_ - capacity_ / 4) resize_to(n);
    }

private:
    void swap(Buffer &other) noexcept {
        std::swap(values_, other.values_);
        std::swap(capacity_, other.capacity_);
    }

    void resize_to(std::size_t n) {
        if (n > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_alloc();
        const std::size_t bytes = (n ? n : 1) * sizeof(T);
        const bool begins_at_huge_page = n > capacity_ && has_few_huge_pages(bytes);
        void *grown;
        if (is_overaligned || begins_at_huge_page) {
            grown = allocate_aligned(begins_at_huge_page ? huge_page : alignof(T), bytes);
            ask_for_huge_pages(grown, bytes);
            if (capacity_ > 0) std::memcpy(grown, values_, (n < capacity_ ? n : capacity_) * sizeof(T));
            release(values_);
        } else {
            grown = std::realloc(static_cast<void *>(values_), bytes);
            if (grown == nullptr) throw std::bad_alloc();
            ask_for_huge_pages(grown, bytes);
        }
        values_ = static_cast<T *>(grown);
        capacity_ = n;
    }

    // Memory of a few huge pages must begin at one, or half of it would be small pages. Still larger memory rather grows
    // without a copy.
    static constexpr bool has_few_huge_pages([[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
        return bytes >= huge_page && bytes <= 8 * huge_page;
#else
        return false;
#endif
    }

    static void release(T *values) {
        if constexpr (is_overaligned) {
            release_aligned(values, alignof(T));
        } else {
            std::free(values);
        }
    }

    T *values_ = nullptr;
    std::size_t capacity_ = 0;
};

// A zeroed array of fixed size. On Linux it requests huge pages: a hash table is accessed at random, and with
// small pages address translation is half the cost.
template <typename T>
class Zeros {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    explicit Zeros(std::size_t n = 0) : size_(n) {
        if (n == 0) return;
        if (n > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_alloc();
#if defined(__linux__)
        void *pages = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED) throw std::bad_alloc();
        if (bytes() >= huge_page) madvise(pages, bytes(), MADV_HUGEPAGE);
        // A page that is read before it is written gets mapped twice, and the second time stops all threads.
        for (std::size_t i = 0; i < bytes(); i += small_page) static_cast<volatile char *>(pages)[i] = 0;
#else
        void *pages = std::calloc(n, sizeof(T));
        if (pages == nullptr) throw std::bad_alloc();
#endif
        values_ = static_cast<T *>(pages);
    }
    Zeros(const Zeros &) = delete;
    Zeros &operator=(const Zeros &) = delete;
    Zeros(Zeros &&other) noexcept { swap(other); }
    Zeros &operator=(Zeros &&other) noexcept {
        swap(other);
        return *this;
    }
    ~Zeros() {
        if (values_ == nullptr) return;
#if defined(__linux__)
        munmap(values_, bytes());
#else
        std::free(values_);
#endif
    }

    T *data() { return values_; }
    const T *data() const { return values_; }
    std::size_t size() const { return size_; }

private:
    static constexpr std::size_t small_page = std::size_t{1} << 12;

    std::size_t bytes() const { return size_ * sizeof(T); }
    void swap(Zeros &other) noexcept {
        std::swap(values_, other.values_);
        std::swap(size_, other.size_);
    }

    T *values_ = nullptr;
    std::size_t size_ = 0;
};

// The C library keeps freed memory that lies below memory in use, such as the counting tables below the vocabulary.
inline void return_free_memory() {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

}  // namespace troenpy
