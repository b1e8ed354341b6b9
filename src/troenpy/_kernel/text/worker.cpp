#include "text/worker.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "cpu.hpp"
#include "text/python_lower.hpp"

namespace troenpy::text {

namespace {

Mark mark_for(Analyzer analyzer) {
    switch (analyzer) {
        case Analyzer::word:
            return Mark::words;
        case Analyzer::text:
            return Mark::tokens;
        case Analyzer::chars:
        case Analyzer::chars_in_words:
            break;
    }
    return Mark::spaces;
}

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
    entries_.reserve(usual_entries_);  // moving would copy
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
    chunk.entries = entries_.take(first_entry_);
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
        case Analyzer::text:
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
