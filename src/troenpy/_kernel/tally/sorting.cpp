#include "tally/sorting.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cpu.hpp"
#include "parallel.hpp"

namespace troenpy::tally {

namespace {

using Shards = std::vector<std::unique_ptr<Shard>>;

// The key of a term, or the first bytes of a long one.
text::Key first_bytes(const text::TermTable &table, const text::Key &key) {
    if (!text::is_long(key)) return {key.head, key.tail & ~text::tag_mask};
    text::Key bytes;
    std::memcpy(&bytes, table.long_text(key).data(), sizeof(bytes));
    return bytes;
}

// First by two bytes, then each of these buckets on its own.
constexpr std::size_t n_buckets = std::size_t{1} << 16, buckets_per_task = 256;

std::size_t bucket_of(std::uint64_t head) { return head >> 48; }

// Calls body(term, key, bytes) for the terms of a shard that have documents.
template <typename F>
void for_each_term(const Shard &shard, F &&body) {
    for (std::uint32_t term = 0; term < shard.table->n_terms(); ++term) {
        if (!shard.has_documents(term)) continue;
        const text::Key &key = shard.table->key(term);
        body(term, key, first_bytes(*shard.table, key));
    }
}

// The terms of all shards by bucket; ends[b] is where bucket b ends.
SortedTerms scattered(const Shards &shards, unsigned n_threads, std::vector<std::size_t> &ends) {
    std::vector<std::vector<std::size_t>> next(shards.size(), std::vector<std::size_t>(n_buckets));
    run_tasks(n_threads, shards.size(), [&](unsigned, std::size_t i, Watch &) {
        for_each_term(*shards[i], [&](std::uint32_t, const text::Key &, const text::Key &bytes) {
            ++next[i][bucket_of(cpu::reverse_bytes(bytes.head))];
        });
    });
    SortedTerms all;
    ends.resize(n_buckets);
    for (std::size_t bucket = 0; bucket < n_buckets; ++bucket) {
        for (std::vector<std::size_t> &of_shard : next) all.size += std::exchange(of_shard[bucket], all.size);
        ends[bucket] = all.size;
    }
    all.terms.reserve(all.size + 1);
    run_tasks(n_threads, shards.size(), [&](unsigned, std::size_t i, Watch &) {
        for_each_term(*shards[i], [&](std::uint32_t term, const text::Key &key, const text::Key &bytes) {
            const std::uint64_t head = cpu::reverse_bytes(bytes.head);
            const auto length = static_cast<std::uint32_t>(text::is_long(key) ? 0 : key.tail >> text::tag_shift);
            all.terms[next[i][bucket_of(head)]++] = {
                head, cpu::reverse_bytes(bytes.tail), length, static_cast<std::uint32_t>(i), term, false};
        });
    });
    return all;
}

}  // namespace

SortedTerms sorted_terms(const Shards &shards, unsigned n_threads) {
    std::vector<std::size_t> ends;
    SortedTerms sorted = scattered(shards, n_threads, ends);
    const auto text = [&](const TermOfShard &of) { return shards[of.shard]->table->text(of.term); };
    const auto less = [&](const TermOfShard &a, const TermOfShard &b) {
        if (a.head != b.head) return a.head < b.head;
        if (a.tail != b.tail) return a.tail < b.tail;
        return a.length > 0 && b.length > 0 ? a.length < b.length : text(a) < text(b);
    };
    run_tasks(n_threads, n_buckets / buckets_per_task, [&](unsigned, std::size_t task, Watch &) {
        for (std::size_t bucket = task * buckets_per_task; bucket < (task + 1) * buckets_per_task; ++bucket) {
            TermOfShard *const begin = sorted.terms.data() + (bucket == 0 ? 0 : ends[bucket - 1]);
            TermOfShard *const end = sorted.terms.data() + ends[bucket];
            std::sort(begin, end, less);
            for (TermOfShard *at = begin + 1; at < end; ++at)  // equal terms are in the same bucket
                at->is_repeated = at[-1].shard != at->shard && !less(at[-1], *at);
        }
    });
    return sorted;
}

}  // namespace troenpy::tally
