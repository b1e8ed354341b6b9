// Sorts the terms of shards by their text, in the order of Python's str: that of their UTF-8 bytes.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "storage.hpp"
#include "tally/shard.hpp"

namespace troenpy::tally {

struct TermOfShard {
    std::uint64_t head, tail;  // numbers that compare like the first 16 bytes, with zeros after a shorter text
    std::uint32_t length;      // or zero, if the text is longer than these bytes
    std::uint32_t shard, term;
    bool is_repeated;  // it is the term before, of another shard
};
static_assert(sizeof(TermOfShard) == 32);

struct SortedTerms {
    Buffer<TermOfShard> terms;
    std::size_t size = 0;
};

// All terms that have documents; equal ones come one after the other. The tables must not have pairs.
SortedTerms sorted_terms(const std::vector<std::unique_ptr<Shard>> &shards, unsigned n_threads);

}  // namespace troenpy::tally
