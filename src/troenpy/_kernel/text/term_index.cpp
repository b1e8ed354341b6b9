#include "text/term_index.hpp"

#include <algorithm>
#include <cstring>

namespace troenpy::text {

namespace {

// A key is read as 16 bytes, which the last terms do not have.
Key key_of(const TermTable &table, std::string_view text, const char *end) {
    if (text.size() > longest_inline || text.data() + sizeof(Key) <= end) return table.key_of(text);
    char padded[sizeof(Key)] = {};
    std::memcpy(padded, text.data(), text.size());
    return inline_key(padded, text.size());
}

}  // namespace

TermIndex::TermIndex(const PackedTerms &terms, bool has_words, const std::vector<std::string> &stop_words,
                     std::span<const std::int64_t> frequent)
    : table_(std::make_shared<TermTable>()), n_columns_(terms.n_terms), has_words_(has_words) {
    for (const std::string &word : stop_words) {
        if (!word.empty()) table_->exclude(word);
    }
    table_->reserve(terms.n_terms);
    for (const std::int64_t column : frequent) add_column(terms, static_cast<std::uint64_t>(column));
    for (std::uint64_t column = 0; column < terms.n_terms; ++column) add_column(terms, column);
}

void TermIndex::add_column(const PackedTerms &terms, std::uint64_t i) {
    const char *end = terms.text + terms.ends[terms.n_terms - 1];
    if (terms[i].empty()) return;
    const std::uint32_t number = has_words_ ? add_words(terms[i], end) : add(terms[i], end);
    if (number != no_term) column(number) = static_cast<std::uint32_t>(i);
}

TermIndex::TermIndex(const std::vector<std::shared_ptr<TermTable>> &tables,
                     const std::vector<std::vector<std::uint32_t>> &columns, std::uint64_t n_columns, bool has_words)
    : table_(tables.at(0)), n_columns_(n_columns), has_words_(has_words) {
    for (std::uint32_t number = 0; number < table_->n_terms(); ++number) column(number) = columns[0][number];
    if (tables.size() == 1) return;
    std::vector<std::uint32_t> number_of(n_columns, no_term);
    for (std::uint32_t number = 0; number < table_->n_terms(); ++number) {
        if (columns[0][number] != no_column) number_of[columns[0][number]] = number;
    }
    for (std::size_t i = 1; i < tables.size(); ++i) {
        add_table(*tables[i], columns[i], number_of);
        tables[i]->close();
    }
}

// Adds the terms of a table; number_of has the numbers of the columns so far. The first words of an n-gram come before
// it.
void TermIndex::add_table(const TermTable &table, const std::vector<std::uint32_t> &columns,
                          std::vector<std::uint32_t> &number_of) {
    std::vector<std::uint32_t> numbers(table.n_terms());
    for (std::uint32_t term = 0; term < table.n_terms(); ++term) {
        const std::uint32_t place = columns[term];
        if (place != no_column && number_of[place] != no_term) {
            numbers[term] = number_of[place];
            continue;
        }
        const Key &key = table.key(term);
        if (is_pair(key)) {
            numbers[term] = add_pair(numbers[key.head >> 32], numbers[static_cast<std::uint32_t>(key.head)]);
        } else {
            const std::string_view text = is_long(key) ? table.long_text(key) : inline_text(key);
            numbers[term] = add(text, text.data() + sizeof(Key));
        }
        if (place == no_column) continue;
        column(numbers[term]) = place;
        number_of[place] = numbers[term];
    }
}

// The number of a term, which is added if it is new; no_term for a stop word.
std::uint32_t TermIndex::add(std::string_view text, const char *end) {
    table_->reserve(1);
    const Key key = key_of(*table_, text, end);
    const std::uint64_t hash = table_->hash(key);
    const std::uint32_t n_before = table_->n_terms();
    const std::uint32_t place = is_long(key) ? table_->find_long(text, key, hash) : table_->find(key, hash);
    if (table_->n_terms() > n_before) column(n_before) = no_column;
    return place < table_->n_excluded() ? no_term : place - table_->n_excluded();
}

std::uint32_t TermIndex::add_pair(std::uint32_t first_words, std::uint32_t last_word) {
    table_->reserve(1);
    const Key key = pair_key(first_words, last_word);
    const std::uint32_t n_before = table_->n_terms();
    const std::uint32_t place = table_->find(key, table_->hash(key));
    if (table_->n_terms() > n_before) column(n_before) = no_column;
    return place - table_->n_excluded();
}

// Word by word. A term with a stop word, or with two spaces in a row, is in no document.
std::uint32_t TermIndex::add_words(std::string_view text, const char *end) {
    std::uint32_t term = no_term;
    for (bool is_first = true;; is_first = false) {
        const std::size_t length = std::min(text.find(' '), text.size());
        const std::uint32_t word = length == 0 ? no_term : add(text.substr(0, length), end);
        if (word == no_term) return no_term;
        term = is_first ? word : add_pair(term, word);
        if (length == text.size()) return term;
        text.remove_prefix(length + 1);
    }
}

std::unique_ptr<ColumnSet> TermIndex::take_columns() {
    {
        const std::lock_guard lock(mutex_);
        if (!free_columns_.empty()) {
            std::unique_ptr<ColumnSet> columns = std::move(free_columns_.back());
            free_columns_.pop_back();
            return columns;
        }
    }
    return std::make_unique<ColumnSet>(n_columns_ + 1);
}

void TermIndex::give_back(std::unique_ptr<ColumnSet> columns) {
    columns->drain([](std::size_t, std::uint32_t) {});  // the last document may have failed
    const std::lock_guard lock(mutex_);
    try {
        free_columns_.push_back(std::move(columns));
    } catch (const std::bad_alloc &) {  // it is freed
    }
}

}  // namespace troenpy::text
