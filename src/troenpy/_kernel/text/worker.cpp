#include "text/worker.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

#include "cpu.hpp"
#include "text/python_lower.hpp"

namespace troenpy::text {

namespace {

Mark mark_for(Analyzer analyzer) { return analyzer == Analyzer::word ? Mark::words : Mark::spaces; }

// Collects the positions, in order, of bits that differ from the one before: where runs begin and end.
class Edges {
public:
    static constexpr std::size_t capacity = 512;
    std::uint64_t positions[capacity + 64];
    std::size_t size = 0;

    void add(std::uint64_t bits, std::uint64_t base) {
        std::uint64_t edges = bits ^ (bits << 1 | last_bit_);
        last_bit_ = bits >> 63;
        const auto n = static_cast<std::size_t>(std::popcount(edges));
        // Eight at a time, because the number of edges is hard to predict.
        for (std::size_t i = 0; i < n; i += 8) {
            for (std::size_t k = 0; k < 8; ++k) {
                positions[size + i + k] = base + static_cast<std::uint64_t>(std::countr_zero(edges));
                edges &= edges - 1;
            }
        }
        size += n;
    }

    // A run may continue in the next block.
    void drop_pairs() {
        if (size % 2 != 0) positions[0] = positions[size - 1];
        size %= 2;
    }

private:
    std::uint64_t last_bit_ = 0;
};

}  // namespace

Worker::Worker(const Settings &settings, std::shared_ptr<TermTable> table)
    : settings_(settings),
      has_bit_instructions_(!settings.portable && cpu::has_bit_instructions()),
      normaliser_(mark_for(settings.analyzer), settings.lower, settings.portable),
      table_(table ? std::move(table) : std::make_shared<TermTable>()),
      known_(*table_) {
    if (table_->n_excluded() + table_->n_terms() > 0) return;
    for (const std::string &word : settings.stop_words) {
        if (!word.empty()) table_->exclude(word);
    }
}

Worker::Worker(const Settings &settings, TermIndex &index)
    : settings_(settings),
      has_bit_instructions_(!settings.portable && cpu::has_bit_instructions()),
      normaliser_(mark_for(settings.analyzer), settings.lower, settings.portable),
      index_(&index),
      known_(index.table()),
      columns_(index.take_columns()) {}

Worker::~Worker() {
    if (columns_) index_->give_back(std::move(columns_));
}

Chunk Worker::count(const Text *texts, std::size_t n, std::uint64_t first_document, Watch &watch) {
    Chunk chunk;
    chunk.first_document = first_document;
    chunk.lengths.reserve(n);
    first_entry_ = 0;
    entries_.reserve(usual_entries_);  // growing would copy
    for (std::size_t i = 0; i < n; ++i) {
        try {
            count_document(texts[i], watch);
        } catch (const InvalidUtf8 &) {
            throw std::invalid_argument("document " + std::to_string(first_document + i) +
                                        " is not valid UTF-8: decode it to str first, e.g. with errors='replace'");
        }
        chunk.lengths.push_back(n_entries_);
        first_entry_ += n_entries_;
    }
    usual_entries_ = first_entry_ + first_entry_ / 8;
    chunk.entries = std::move(entries_);
    chunk.entries.shrink_to(first_entry_);
    entries_ = Buffer<Entry>();
    return chunk;
}

void Worker::count_document(const Text &text, Watch &watch) {
    if (text.length > std::numeric_limits<std::uint32_t>::max())
        throw std::overflow_error("a document of more than 2**32 characters: split it");
    if (table_) document_ = table_->next_document();
    n_entries_ = 0;
    if (text.length == 0) return;
    read(text, watch);
    switch (settings_.analyzer) {
        case Analyzer::word:
            settings_.max_n == 1 ? count_words(watch) : count_word_ngrams(watch);
            break;
        case Analyzer::chars:
            count_chars(watch);
            break;
        case Analyzer::chars_in_words:
            count_chars_in_words(watch);
            break;
    }
    if (index_ != nullptr) write_matches();
}

void Worker::read(const Text &text, Watch &watch) {
    if (normaliser_.read(text, watch)) return;
    const PythonLower lowered(text);
    normaliser_.read_lowered(lowered.text(), watch);
}

// Calls body(begin, end) for every run of marked bytes.
template <typename F>
TROENPY_ALWAYS_INLINE void Worker::for_each_run(F &&body) {
    Edges edges;
    const std::uint64_t *marks = normaliser_.marks();
    const std::uint64_t n_words = normaliser_.size() / 64 + 1;
    for (std::uint64_t word = 0; word < n_words; ++word) {
        edges.add(marks[word], word * 64);
        if (edges.size < Edges::capacity && word + 1 < n_words) continue;
        for (std::size_t i = 0; i + 1 < edges.size; i += 2) body(edges.positions[i], edges.positions[i + 1]);
        edges.drop_pairs();
    }
}

TROENPY_ALWAYS_INLINE void Worker::add_words_anywhere(Watch &watch, bool counted, std::vector<std::uint32_t> *terms) {
    const char *bytes = normaliser_.bytes();
    std::size_t n = 0;  // a local copy, so that the loop does not wait for each store
    for_each_run([&](std::uint64_t begin, std::uint64_t end) {
        if (n == Batch::capacity) {
            batch_.size = n;
            flush(watch, counted, terms);
            n = 0;
        }
        put(n, bytes + begin, end - begin);
        n += end - begin > 1;  // a single letter is not a word; no branch, because it would be mispredicted
    });
    batch_.size = n;
    flush(watch, counted, terms);
}

// The same loop, with bit-counting instructions.
TROENPY_TARGET_BITS void Worker::add_words_by_bits(Watch &watch, bool counted, std::vector<std::uint32_t> *terms) {
    add_words_anywhere(watch, counted, terms);
}

void Worker::add_words(Watch &watch, bool counted, std::vector<std::uint32_t> *terms) {
    has_bit_instructions_ ? add_words_by_bits(watch, counted, terms) : add_words_anywhere(watch, counted, terms);
}

void Worker::count_words(Watch &watch) { add_words(watch, true, nullptr); }

void Worker::count_word_ngrams(Watch &watch) {
    word_terms_.clear();
    add_words(watch, settings_.min_n == 1, &word_terms_);
    ngram_terms_ = word_terms_;
    std::vector<std::uint32_t> &longer = longer_terms_;
    for (std::uint32_t n = 2; n <= settings_.max_n && n <= word_terms_.size(); ++n) {
        longer.clear();
        for (std::size_t i = 0; i + n <= word_terms_.size(); ++i) {
            if (batch_.size == Batch::capacity) flush(watch, n >= settings_.min_n, &longer);
            add_pair(ngram_terms_[i], word_terms_[i + n - 1]);
        }
        flush(watch, n >= settings_.min_n, &longer);
        ngram_terms_.swap(longer);
    }
}

// Two or more white-space characters in a row become one space; a single one is kept.
void Worker::collapse_spaces() {
    const char *bytes = normaliser_.bytes();
    chars_.reserve(normaliser_.size() + Normaliser::padding);
    n_bytes_ = 0;
    std::uint64_t copied = 0;
    const auto copy_until = [&](std::uint64_t end) {
        std::memcpy(chars_.data() + n_bytes_, bytes + copied, end - copied);
        n_bytes_ += end - copied;
        copied = end;
    };
    for_each_run([&](std::uint64_t begin, std::uint64_t end) {
        if (end - begin < 2) return;
        const auto first = static_cast<std::uint8_t>(bytes[begin]);
        const std::uint64_t first_length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : 3;  // no white space needs four
        if (end - begin == first_length) return;
        copy_until(begin);
        chars_[n_bytes_++] = ' ';
        copied = end;
    });
    copy_until(normaliser_.size());
}

// Every run of white space becomes one space, with a space before the first word and one after the last.
void Worker::pad_words() {
    const char *bytes = normaliser_.bytes();
    chars_.reserve(normaliser_.size() + 2 + Normaliser::padding);
    chars_[0] = ' ';
    n_bytes_ = 1;
    std::uint64_t copied = 0;
    const auto copy_word = [&](std::uint64_t end) {
        if (end == copied) return;
        std::memcpy(chars_.data() + n_bytes_, bytes + copied, end - copied);
        n_bytes_ += end - copied;
        chars_[n_bytes_++] = ' ';
    };
    for_each_run([&](std::uint64_t begin, std::uint64_t end) {
        copy_word(begin);
        copied = end;
    });
    copy_word(normaliser_.size());
}

void Worker::find_starts() {
    starts_.clear();
    if (normaliser_.is_ascii()) {
        n_chars_ = n_bytes_;
        return;
    }
    for (std::uint64_t i = 0; i < n_bytes_; ++i) {
        if ((static_cast<std::uint8_t>(chars_[i]) & 0xC0) != 0x80) starts_.push_back(i);
    }
    n_chars_ = starts_.size();
    starts_.push_back(n_bytes_);
}

const char *Worker::character(std::uint64_t i) const { return chars_.data() + (starts_.empty() ? i : starts_[i]); }

// All n-grams of the characters in [begin, end).
void Worker::add_windows(std::uint64_t begin, std::uint64_t end, std::uint32_t n, Watch &watch) {
    for (std::uint64_t i = begin; i + n <= end; ++i) {
        if (batch_.size == Batch::capacity) flush(watch, true);
        const char *first = character(i);
        put(batch_.size++, first, static_cast<std::size_t>(character(i + n) - first));
    }
}

void Worker::count_chars(Watch &watch) {
    collapse_spaces();
    find_starts();
    for (std::uint64_t n = settings_.min_n; n <= settings_.max_n && n <= n_chars_; ++n) {
        add_windows(0, n_chars_, static_cast<std::uint32_t>(n), watch);
    }
    flush(watch, true);
}

void Worker::count_chars_in_words(Watch &watch) {
    pad_words();
    find_starts();
    std::uint64_t begin = 0;  // the space before a word
    for (std::uint64_t end = 1; end < n_chars_; ++end) {
        if (*character(end) != ' ') continue;
        const std::uint64_t length = end + 1 - begin;
        for (std::uint64_t n = settings_.min_n; n <= settings_.max_n; ++n) {
            add_windows(begin, end + 1, static_cast<std::uint32_t>(n < length ? n : length), watch);
            if (n >= length) break;  // a short word counts once
        }
        begin = end;
    }
    flush(watch, true);
}

// Counts the terms of the batch if `counted`, and appends their numbers to `terms` if it is given.
void Worker::flush(Watch &watch, bool counted, std::vector<std::uint32_t> *terms) {
    index_ == nullptr ? count_batch(counted, terms) : match_batch(counted, terms);
    batch_.size = 0;
    if (++n_flushes_ % 64 == 0) watch.check();
}

void Worker::count_batch(bool counted, std::vector<std::uint32_t> *terms) {
    TermTable &table = *table_;
    table.reserve(batch_.size);
    entries_.reserve(first_entry_ + n_entries_ + batch_.size + 1);
    Entry *entries = entries_.data() + first_entry_;
    std::uint32_t n_entries = n_entries_;  // a local copy, so that a term does not wait for the one before
    const std::uint32_t document = document_;
    // First find the likely position of each, so that the cache misses overlap.
    std::uint32_t places[Batch::capacity];
    for (std::size_t i = 0; i < batch_.size; ++i) places[i] = table.guess(batch_.hashes[i]);
    Term *table_terms = table.terms();
    const std::uint32_t n_excluded = table.n_excluded();
    for (std::size_t i = 0; i < batch_.size; ++i) {
        const Key &key = batch_.keys[i];
        const std::uint64_t hash = batch_.hashes[i];
        std::uint32_t place = places[i];
        if (!(table_terms[place].key == key)) [[unlikely]]
            place = is_long(key) ? table.find_long(batch_.long_texts[i], key, hash) : table.find(key, hash);
        if (place < n_excluded) continue;
        const std::uint32_t number = place - n_excluded;
        if (counted) {
            Term &term = table_terms[place];
            const bool is_new = term.last_document != document;
            // The entry of the term, without a branch, which would be mispredicted.
            const std::uint32_t if_old = 0u - std::uint32_t{!is_new};
            const std::uint32_t at = n_entries ^ ((n_entries ^ term.last_entry) & if_old);
            entries[n_entries].count = 0;
            entries[at] = {number, entries[at].count + 1};
            term.last_document = document;
            term.last_entry = at;
            term.n_documents += is_new;
            n_entries += is_new;
        }
        if (terms != nullptr) terms->push_back(number);
    }
    n_entries_ = n_entries;
}

// The same for the terms of the index; others get no_term, which no pair of the index contains.
void Worker::match_batch(bool counted, std::vector<std::uint32_t> *terms) {
    std::uint32_t places[Batch::capacity];
    for (std::size_t i = 0; i < batch_.size; ++i) places[i] = known_.guess(batch_.hashes[i]);
    const std::uint32_t n_excluded = known_.n_excluded();
    const auto no_such_column = static_cast<std::uint32_t>(index_->n_columns());
    for (std::size_t i = 0; i < batch_.size; ++i) {
        const Key &key = batch_.keys[i];
        std::uint32_t place = places[i];
        if (!(known_.term_at(place).key == key)) [[unlikely]]
            place = known_.place_of(batch_.long_texts[i], key, batch_.hashes[i]);
        if (place < n_excluded) continue;
        // Terms without a column share one that is not written: a branch would be mispredicted.
        if (counted && place != no_term) columns_->add(std::min(known_.term_at(place).last_entry, no_such_column), 1);
        if (terms != nullptr) terms->push_back(place == no_term ? no_term : place - n_excluded);
    }
    n_entries_ += static_cast<std::uint32_t>(batch_.size);  // at most, until they are written
}

// Writes the columns of the document in order.
void Worker::write_matches() {
    const auto no_such_column = static_cast<std::size_t>(index_->n_columns());
    entries_.reserve(first_entry_ + std::min<std::uint64_t>(n_entries_, no_such_column + 1) + 1);
    Entry *const first = entries_.data() + first_entry_;
    Entry *next = first;
    columns_->drain([&](std::size_t column, std::uint32_t count) {
        *next = {static_cast<std::uint32_t>(column), count};
        next += column != no_such_column;
    });
    n_entries_ = static_cast<std::uint32_t>(next - first);
}

}  // namespace troenpy::text
