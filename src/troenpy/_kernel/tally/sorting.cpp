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
    std::uint32_t term;
    std::uint32_t length;  // or zero, if it is longer than these bytes
};

Word word_of(const text::TermTable &table, std::uint32_t term) {
    text::Key key = table.key(term);
    if (!text::is_long(key)) {
        const auto length = static_cast<std::uint32_t>(key.tail >> text::tag_shift);
        return {cpu::reverse_bytes(key.head), cpu::reverse_bytes(key.tail & ~text::tag_mask), term, length};
    }
    std::memcpy(&key, table.long_text(key).data(), sizeof(key));
    return {cpu::reverse_bytes(key.head), cpu::reverse_bytes(key.tail), term, 0};
}

// Appends the text; the bytes of a short one are at hand.
void append(std::vector<std::uint8_t> &text, const Word &word, const text::TermTable &table) {
    if (word.length > 0) {
        const std::uint64_t bytes[] = {cpu::reverse_bytes(word.head), cpu::reverse_bytes(word.tail)};
        const auto *first = reinterpret_cast<const std::uint8_t *>(bytes);
        text.insert(text.end(), first, first + word.length);
    } else {
        const std::string_view spelled = table.text(word.term);
        text.insert(text.end(), spelled.begin(), spelled.end());
    }
}

}  // namespace

SortedTerms sort_terms(const std::vector<std::uint32_t> &terms, const text::TermTable &table, unsigned n_threads) {
    // First by two bytes, then each of these buckets on its own.
    constexpr std::size_t n_buckets = std::size_t{1} << 16, buckets_per_task = 256;
    std::vector<Word> words(terms.size()), sorted(terms.size());
    std::vector<std::size_t> ends(n_buckets + 1);
    for (std::size_t i = 0; i < terms.size(); ++i) {
        words[i] = word_of(table, terms[i]);
        ++ends[(words[i].head >> 48) + 1];
    }
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    for (const Word &word : words) sorted[ends[word.head >> 48]++] = word;
    const auto less = [&](const Word &a, const Word &b) {
        if (a.head != b.head) return a.head < b.head;
        if (a.tail != b.tail) return a.tail < b.tail;
        return table.text(a.term) < table.text(b.term);
    };
    run_tasks(n_threads, n_buckets / buckets_per_task, [&](unsigned, std::size_t task, Watch &) {
        for (std::size_t bucket = task * buckets_per_task; bucket < (task + 1) * buckets_per_task; ++bucket) {
            Word *const begin = sorted.data() + (bucket == 0 ? 0 : ends[bucket - 1]);
            std::sort(begin, sorted.data() + ends[bucket], less);
        }
    });
    SortedTerms result;
    result.terms.reserve(terms.size());
    result.ends.reserve(terms.size());
    for (const Word &word : sorted) {
        append(result.text, word, table);
        result.terms.push_back(word.term);
        result.ends.push_back(static_cast<std::int64_t>(result.text.size()));
    }
    return result;
}

}  // namespace troenpy::tally
