// Sorts the terms of shards by their text, in the order of Python's str: that of their UTF-8 bytes.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tally/shard.hpp"

namespace troenpy::tally {

struct TermOfShard {
    std::uint32_t shard, term;
    bool is_repeated = false;  // it is the term before, of another shard
};

// All terms that have documents; equal ones come one after the other. The tables must not have pairs.
std::vector<TermOfShard> sorted_terms(const std::vector<std::unique_ptr<Shard>> &shards, unsigned n_threads);

}  // namespace troenpy::tally
