#include "tally/sorting.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cpu.hpp"
#include "parallel.hpp"

namespace troenpy::tally {

namespace {

// A term as two numbers that compare like its first 16 bytes, with zeros after a shorter text.
struct Word {
    std::uint64_t head, tail;
    TermOfShard of;
    std::uint32_t length;  // or zero, if it is longer than these bytes
};

Word word_of(const text::TermTable &table, TermOfShard of) {
    text::Key key = table.key(of.term);
    if (!text::is_long(key)) {
        const auto length = static_cast<std::uint32_t>(key.tail >> text::tag_shift);
        return {cpu::reverse_bytes(key.head), cpu::reverse_bytes(key.tail & ~text::tag_mask), of, length};
    }
    std::memcpy(&key, table.long_text(key).data(), sizeof(key));
    return {cpu::reverse_bytes(key.head), cpu::reverse_bytes(key.tail), of, 0};
}

// First by two bytes, then each of these buckets on its own.
constexpr std::size_t n_buckets = std::size_t{1} << 16, buckets_per_task = 256;

std::size_t bucket_of(const Word &word) { return word.head >> 48; }

// The words of all shards by bucket; ends[b] is where bucket b ends.
std::vector<Word> scattered(const std::vector<std::unique_ptr<Shard>> &shards, unsigned n_threads,
                            std::vector<std::size_t> &ends) {
    std::vector<std::vector<Word>> words(shards.size());
    std::vector<std::vector<std::size_t>> next(shards.size(), std::vector<std::size_t>(n_buckets));
    run_tasks(n_threads, shards.size(), [&](unsigned, std::size_t i, Watch &) {
        words[i].reserve(shards[i]->table->n_terms());
        for (std::uint32_t term = 0; term < shards[i]->table->n_terms(); ++term) {
            if (!shards[i]->has_documents(term)) continue;
            words[i].push_back(word_of(*shards[i]->table, {static_cast<std::uint32_t>(i), term, false}));
            ++next[i][bucket_of(words[i].back())];
        }
    });
    std::size_t sum = 0;
    ends.resize(n_buckets);
    for (std::size_t bucket = 0; bucket < n_buckets; ++bucket) {
        for (std::vector<std::size_t> &of_shard : next) sum += std::exchange(of_shard[bucket], sum);
        ends[bucket] = sum;
    }
    std::vector<Word> all(sum);
    run_tasks(n_threads, shards.size(), [&](unsigned, std::size_t i, Watch &) {
        for (const Word &word : words[i]) all[next[i][bucket_of(word)]++] = word;
    });
    return all;
}

}  // namespace

std::vector<TermOfShard> sorted_terms(const std::vector<std::unique_ptr<Shard>> &shards, unsigned n_threads) {
    std::vector<std::size_t> ends;
    std::vector<Word> words = scattered(shards, n_threads, ends);
    const auto text = [&](const Word &word) { return shards[word.of.shard]->table->text(word.of.term); };
    const auto less = [&](const Word &a, const Word &b) {
        if (a.head != b.head) return a.head < b.head;
        if (a.tail != b.tail) return a.tail < b.tail;
        return a.length > 0 && b.length > 0 ? a.length < b.length : text(a) < text(b);
    };
    run_tasks(n_threads, n_buckets / buckets_per_task, [&](unsigned, std::size_t task, Watch &) {
        for (std::size_t bucket = task * buckets_per_task; bucket < (task + 1) * buckets_per_task; ++bucket) {
            Word *const begin = words.data() + (bucket == 0 ? 0 : ends[bucket - 1]);
            std::sort(begin, words.data() + ends[bucket], less);
        }
    });
    std::vector<TermOfShard> terms;
    terms.reserve(words.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i].of.is_repeated = i > 0 && words[i - 1].of.shard != words[i].of.shard && !less(words[i - 1], words[i]);
        terms.push_back(words[i].of);
    }
    return terms;
}

}  // namespace troenpy::tally
