// Reads Arrow string data without copying, through the Arrow C data interface.
//
// https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html. Layouts: string (u),
// large string (U), string view (vu), their binary twins (z, Z, vz), and any of them behind dictionary indices or as
// the only column of a table; in any number of chunks, with offsets.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
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

// Documents of some arrays, which it keeps alive; a missing document has no data.
class ArrowTexts {
public:
    // How many positions of missing documents are remembered.
    static constexpr std::size_t n_named = 5;

    explicit ArrowTexts(bool is_binary) : is_binary_(is_binary) {}
    ArrowTexts(const ArrowTexts &) = delete;
    ArrowTexts &operator=(const ArrowTexts &) = delete;

    void add(const ArrowSchema &schema, Released<ArrowArray> array);
    void fill_missing();  // with empty documents

    const std::vector<Text> &texts() const { return texts_; }
    std::uint64_t n_bytes() const { return n_bytes_; }  // and one for each document
    bool is_binary() const { return is_binary_; }       // bytes in any encoding instead of UTF-8
    std::uint64_t n_missing() const { return n_missing_; }
    const std::vector<std::int64_t> &first_missing() const { return first_missing_; }

private:
    bool is_binary_;
    std::vector<Released<ArrowArray>> arrays_;
    std::vector<Text> texts_;
    std::uint64_t n_bytes_ = 0;
    std::uint64_t n_missing_ = 0;
    std::vector<std::int64_t> first_missing_;
};

// Data of a producer, read array by array.
class ArrowSource {
public:
    explicit ArrowSource(ArrowArrayStream &stream);
    ArrowSource(ArrowSchema &schema, ArrowArray &array);
    ArrowSource(const ArrowSource &) = delete;
    ArrowSource &operator=(const ArrowSource &) = delete;

    // A table has columns, which must be one to be read.
    bool is_table() const;
    std::vector<std::string> columns() const;

    // Reads arrays until they hold this many bytes of text. The first call gives documents even if there are none,
    // a later one nothing at the end.
    std::unique_ptr<ArrowTexts> read(std::uint64_t n_bytes = std::numeric_limits<std::uint64_t>::max());

private:
    Released<ArrowArray> next();

    Released<ArrowSchema> schema_;
    Released<ArrowArrayStream> stream_;  // empty if there is only one array
    Released<ArrowArray> array_;         // empty if there is a stream
    bool has_read_ = false;
};

}  // namespace troenpy::text
