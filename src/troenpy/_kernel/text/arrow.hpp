// Reads Arrow string data without copying, through the Arrow C data interface.
//
// https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html. Layouts: string (u),
// large string (U), string view (vu), and any of them behind dictionary indices; in any number of chunks,
// with offsets.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/text.hpp"

extern "C" {

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    std::int64_t flags;
    std::int64_t n_children;
    ArrowSchema **children;
    ArrowSchema *dictionary;
    void (*release)(ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void **buffers;
    ArrowArray **children;
    ArrowArray *dictionary;
    void (*release)(ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream *, ArrowSchema *out);
    int (*get_next)(ArrowArrayStream *, ArrowArray *out);
    const char *(*get_last_error)(ArrowArrayStream *);
    void (*release)(ArrowArrayStream *);
    void *private_data;
};

}  // extern "C"

namespace troenpy::text {

// Owns data from a producer: moved from the producer's struct, released once.
template <typename T>
class Released {
public:
    Released() : value_{} {}
    explicit Released(T &source) : value_(source) { source.release = nullptr; }
    Released(const Released &) = delete;
    Released &operator=(const Released &) = delete;
    Released(Released &&other) noexcept : value_(other.value_) { other.value_.release = nullptr; }
    ~Released() {
        if (value_.release != nullptr) value_.release(&value_);
    }
    T *get() { return &value_; }
    const T *operator->() const { return &value_; }
    const T &operator*() const { return value_; }

private:
    T value_;
};

class ArrowTexts {
public:
    explicit ArrowTexts(ArrowArrayStream &stream);
    ArrowTexts(const ArrowTexts &) = delete;
    ArrowTexts &operator=(const ArrowTexts &) = delete;
    ArrowTexts(ArrowSchema &schema, ArrowArray &array);

    const std::vector<Text> &texts() const { return texts_; }

    // The position of the first missing document, or -1.
    std::int64_t first_missing() const { return first_missing_; }

private:
    void read(const ArrowSchema &schema, const ArrowArray &array);

    std::vector<Released<ArrowArray>> arrays_;
    std::vector<Text> texts_;
    std::int64_t first_missing_ = -1;
};

}  // namespace troenpy::text
