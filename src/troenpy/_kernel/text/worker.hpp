// Cuts documents into terms and counts them: those of a table that grows, or those of an index.
//
// A worker counts whole chunks of documents, in one thread. Words and tokens are runs in the bits of Normaliser.
// N-grams of words are pairs of term numbers, so their text is not touched. Character n-grams are cut at every
// position. In its own table, terms are counted without a branch: each remembers the last document it was in, and its
// entry there. With an index, columns are known at once, and rows are written in one pass.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "parallel.hpp"
#include "storage.hpp"
#include "text/entries.hpp"
#include "text/normalise.hpp"
#include "text/term_index.hpp"
#include "text/term_table.hpp"
#include "text/text.hpp"

namespace troenpy::text {

enum class Analyzer { word, text, chars, chars_in_words };

struct Settings {
    Analyzer analyzer = Analyzer::word;
    bool lower = true;
    std::uint32_t min_n = 1;
    std::uint32_t max_n = 1;
    std::vector<std::string> stop_words;
    bool portable = false;

    // Whether n-grams are pairs of words, and stop words apply.
    bool has_words() const { return analyzer == Analyzer::word || analyzer == Analyzer::text; }
};

// The counts of consecutive documents, with the term numbers of one worker; or, with an index, columns in order.
struct Chunk {
    std::uint64_t first_document = 0;
    std::uint32_t worker = 0;
    Entries entries;
    std::vector<std::uint32_t> lengths;  // entries of each document
};

class Worker {
public:
    // Counts all terms, in a table of its own or in one that goes on from other batches and excludes the stop words.
    explicit Worker(const Settings &settings, std::shared_ptr<TermTable> table = nullptr);
    // Counts the terms of the index only.
    Worker(const Settings &settings, TermIndex &index);
    ~Worker();
    Worker(const Worker &) = delete;
    Worker &operator=(const Worker &) = delete;

    Chunk count(const Text *texts, std::size_t n, std::uint64_t first_document, Watch &watch);

    const std::shared_ptr<TermTable> &table() const { return table_; }

private:
    // Keys are collected here, so that cache misses on their slots and terms overlap.
    struct Batch {
        static constexpr std::size_t capacity = 64;  // more would not fit in the L1 cache
        std::size_t size = 0;
        Key keys[capacity];
        std::uint64_t hashes[capacity];
        std::string_view long_texts[capacity];
    };

    void count_document(const Text &text, Watch &watch);
    void read(const Text &text, Watch &watch);
    void count_words(Watch &watch);
    void count_word_ngrams(Watch &watch);
    void count_chars(Watch &watch);
    void count_chars_in_words(Watch &watch);
    void collapse_spaces();
    void pad_words();
    void add_words(Watch &watch, bool counted, std::vector<std::uint32_t> *terms);
    template <bool tokens>
    void add_words_anywhere(Watch &watch, bool counted, std::vector<std::uint32_t> *terms);
    template <bool tokens>
    void add_words_by_bits(Watch &watch, bool counted, std::vector<std::uint32_t> *terms);
    template <bool tokens>
    void add_words_by_cpu(Watch &watch, bool counted, std::vector<std::uint32_t> *terms);
    void find_starts();
    const char *character(std::uint64_t i) const;
    void add_windows(std::uint64_t begin, std::uint64_t end, std::uint32_t n, Watch &watch);
    void add_short_windows(std::uint64_t begin, std::uint64_t end, std::uint32_t n, Watch &watch);

    void put(std::size_t i, const char *text, std::size_t length);
    void put_key(std::size_t i, const Key &key);
    void add_pair(std::uint32_t first_words, std::uint32_t last_word);
    void flush(Watch &watch, bool counted, std::vector<std::uint32_t> *terms = nullptr);
    void count_batch(bool counted, std::vector<std::uint32_t> *terms);
    void match_batch(bool counted, std::vector<std::uint32_t> *terms);
    void write_matches();

    const Settings &settings_;
    bool has_bit_instructions_;
    Normaliser normaliser_;
    TermIndex *index_ = nullptr;  // or the table grows
    std::shared_ptr<TermTable> table_;
    const TermTable &known_;              // the index's table, or the growing one
    std::unique_ptr<ColumnSet> columns_;  // of the current document, with an index
    Batch batch_;
    EntryWriter entries_;
    std::uint64_t first_entry_ = 0;    // of the current document
    std::uint64_t usual_entries_ = 0;  // of a chunk
    std::uint32_t n_entries_ = 0;      // of the current document
    std::uint32_t document_ = 0;
    std::uint32_t n_flushes_ = 0;
    std::vector<std::uint32_t> word_terms_, ngram_terms_, longer_terms_;
    // Character n-grams: the text with normalised white space, and where its characters start if it is not ASCII.
    Buffer<char> chars_;
    std::uint64_t n_bytes_ = 0;
    std::vector<std::uint64_t> starts_;
    std::uint64_t n_chars_ = 0;
};

inline void Worker::put(std::size_t i, const char *text, std::size_t length) {
    Key key;
    if (length > longest_inline) [[unlikely]] {
        batch_.long_texts[i] = {text, length};
        key = known_.long_key(batch_.long_texts[i]);
    } else {
        key = inline_key(text, length);
    }
    put_key(i, key);
}

inline void Worker::put_key(std::size_t i, const Key &key) {
    batch_.keys[i] = key;
    batch_.hashes[i] = known_.hash(key);
    known_.prefetch(batch_.hashes[i]);
}

inline void Worker::add_pair(std::uint32_t first_words, std::uint32_t last_word) {
    put_key(batch_.size++, pair_key(first_words, last_word));
}

}  // namespace troenpy::text
