// The entries of the documents that a worker counts: a term of a document and its count.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "storage.hpp"

namespace troenpy::text {

struct Entry {
    std::uint32_t term;
    std::uint32_t count;
};

// The entries of one chunk, in a block that several chunks share.
class Entries {
public:
    Entries() = default;
    Entries(std::shared_ptr<const Buffer<Entry>> block, const Entry *first) : block_(std::move(block)), first_(first) {}

    const Entry *data() const { return first_; }
    const Entry &operator[](std::size_t i) const { return first_[i]; }

private:
    std::shared_ptr<const Buffer<Entry>> block_;
    const Entry *first_ = nullptr;
};

// Where a worker writes entries, chunk after chunk. The memory of many chunks is mapped at once, in huge pages: a page
// fault for every few hundred entries would take a twentieth of the time of a fit.
class EntryWriter {
public:
    // Makes room for n entries in the current chunk, which moves if its block is too small.
    void reserve(std::size_t n) {
        if (first_ + n > capacity_) start_block(n);
    }

    // The entries of the current chunk.
    Entry *data() { return block_->data() + first_; }

    // Ends the current chunk, of n entries.
    Entries take(std::size_t n) {
        if (n == 0) return {};
        Entries taken(block_, data());
        first_ += n;
        return taken;
    }

private:
    static constexpr std::size_t usual_capacity = 8 * huge_page / sizeof(Entry);

    // Blocks double up to the usual size, so that few documents take little memory.
    void start_block(std::size_t n) {
        const std::size_t capacity = std::max(2 * n, std::min(2 * capacity_, usual_capacity));
        auto block = std::make_shared<Buffer<Entry>>();
        block->reserve(capacity);
        if (first_ < capacity_) std::memcpy(block->data(), data(), (capacity_ - first_) * sizeof(Entry));
        block_ = std::move(block);
        capacity_ = capacity;
        first_ = 0;
    }

    std::shared_ptr<Buffer<Entry>> block_;
    std::size_t capacity_ = 0;
    std::size_t first_ = 0;  // of the current chunk
};

}  // namespace troenpy::text
