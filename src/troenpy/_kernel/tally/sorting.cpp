#include "tally/sorting.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "cpu.hpp"
#include "parallel.hpp"

namespace troenpy::tally {

namespace {

// A term as two numbers that compare like its first 16 bytes, with zeros after a shorter text.
struct Word {
    std::uint64_t head, tail;
    TermOfShard of;
};

Word word_of(const text::TermTable &table, TermOfShard of) {
    text::Key key = table.key(of.term);
    if (text::is_long(key)) std::memcpy(&key, table.long_text(key).data(), sizeof(key));
    const std::uint64_t tail = text::is_long(table.key(of.term)) ? key.tail : key.tail & ~text::tag_mask;
    return {cpu::reverse_bytes(key.head), cpu::reverse_bytes(tail), of};
}

}  // namespace

std::vector<TermOfShard> sorted_terms(const std::vector<std::unique_ptr<Shard>> &shards, unsigned n_threads) {
    // First by two bytes, then each of these buckets on its own.
    constexpr std::size_t n_buckets = std::size_t{1} << 16, buckets_per_task = 256;
    std::vector<Word> words;
    std::vector<std::size_t> ends(n_buckets + 1);
    for (std::uint32_t shard = 0; shard < shards.size(); ++shard) {
        for (std::uint32_t term = 0; term < shards[shard]->table->n_terms(); ++term) {
            if (!shards[shard]->has_documents(term)) continue;
            words.push_back(word_of(*shards[shard]->table, {shard, term, false}));
            ++ends[(words.back().head >> 48) + 1];
        }
    }
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    std::vector<Word> sorted(words.size());
    for (const Word &word : words) sorted[ends[word.head >> 48]++] = word;
    const auto text = [&](const Word &word) { return shards[word.of.shard]->table->text(word.of.term); };
    const auto less = [&](const Word &a, const Word &b) {
        if (a.head != b.head) return a.head < b.head;
        if (a.tail != b.tail) return a.tail < b.tail;
        return text(a) < text(b);
    };
    run_tasks(n_threads, n_buckets / buckets_per_task, [&](unsigned, std::size_t task, Watch &) {
        for (std::size_t bucket = task * buckets_per_task; bucket < (task + 1) * buckets_per_task; ++bucket) {
            Word *const begin = sorted.data() + (bucket == 0 ? 0 : ends[bucket - 1]);
            std::sort(begin, sorted.data() + ends[bucket], less);
        }
    });
    std::vector<TermOfShard> terms;
    terms.reserve(sorted.size());
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        sorted[i].of.is_repeated = i > 0 && sorted[i - 1].of.shard != sorted[i].of.shard &&
                                   sorted[i - 1].head == sorted[i].head && sorted[i - 1].tail == sorted[i].tail &&
                                   text(sorted[i - 1]) == text(sorted[i]);
        terms.push_back(sorted[i].of);
    }
    return terms;
}

}  // namespace troenpy::tally
