#include "text/matching.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace troenpy::text {

namespace {

// Looks up terms in one table, in batches, so that cache misses on their slots, and then on the terms, overlap.
// An n-gram is looked up word by word: its first word, then the pair of that and the next, and so on.
class Lookup {
public:
    static constexpr std::size_t capacity = 64;

    Lookup(const TermTable &table, bool has_words) : table_(table), has_words_(has_words) {}

    // Calls found(i, number) for every term i in [begin, end) that is in the table.
    template <typename F>
    void run(const GivenTerms &terms, std::size_t begin, std::size_t end, F &&found) {
        for (std::size_t i = begin; i < end; ++i) walks_[i - begin] = {terms.text(i), no_term, false};
        n_ = end - begin;
        for (bool is_first = true; step(is_first); is_first = false) {
        }
        for (std::size_t i = begin; i < end; ++i) {
            const Walk &walk = walks_[i - begin];
            if (walk.term != no_term) found(i, walk.term);
        }
    }

private:
    struct Walk {
        std::string_view rest;  // of the text
        std::uint32_t term;     // the term before the rest; no_term if there is none
        bool is_done;
    };

    // Advances all by one word; false if no words were left.
    bool step(bool is_first) {
        bool goes_on = false;
        for (std::size_t i = 0; i < n_; ++i) {
            Walk &walk = walks_[i];
            if (walk.is_done) continue;
            goes_on = true;
            const std::size_t length = has_words_ ? std::min(walk.rest.find(' '), walk.rest.size()) : walk.rest.size();
            words_[i] = walk.rest.substr(0, length);
            if (!words_[i].empty()) prefetch(i, table_.key_of(words_[i]));
        }
        if (!goes_on) return false;
        for (std::size_t i = 0; i < n_; ++i) {
            if (!walks_[i].is_done && !words_[i].empty()) table_.guess(hashes_[i]);
        }
        for (std::size_t i = 0; i < n_; ++i) {
            Walk &walk = walks_[i];
            if (walk.is_done) continue;
            const std::uint32_t word = words_[i].empty() ? no_term : table_.look_up(words_[i], keys_[i], hashes_[i]);
            is_pair_[i] = !is_first && word != no_term;
            if (is_pair_[i]) {
                prefetch(i, pair_key(walk.term, word));
            } else {
                walk.term = word;
            }
        }
        for (std::size_t i = 0; i < n_; ++i) {
            if (!walks_[i].is_done && is_pair_[i]) table_.guess(hashes_[i]);
        }
        for (std::size_t i = 0; i < n_; ++i) {
            Walk &walk = walks_[i];
            if (walk.is_done) continue;
            if (is_pair_[i]) walk.term = table_.look_up({}, keys_[i], hashes_[i]);
            walk.is_done = walk.term == no_term || words_[i].size() == walk.rest.size();
            if (!walk.is_done) walk.rest.remove_prefix(words_[i].size() + 1);
        }
        return true;
    }

    void prefetch(std::size_t i, const Key &key) {
        keys_[i] = key;
        hashes_[i] = table_.hash(key);
        table_.prefetch(hashes_[i]);
    }

    const TermTable &table_;
    bool has_words_;
    std::size_t n_ = 0;
    Walk walks_[capacity];
    std::string_view words_[capacity];
    Key keys_[capacity];
    std::uint64_t hashes_[capacity];
    bool is_pair_[capacity];
};

}  // namespace

std::uint32_t checked_column(std::int64_t column, std::uint64_t n_columns) {
    if (column < 0 || static_cast<std::uint64_t>(column) >= n_columns) {
        throw std::invalid_argument("vocabulary_ gives column " + std::to_string(column) + ", but has only " +
                                    std::to_string(n_columns) + " terms");
    }
    return static_cast<std::uint32_t>(column);
}

bool has_shared_columns(const std::vector<std::vector<std::uint32_t>> &by_worker, std::uint64_t n_columns) {
    for (const std::vector<std::uint32_t> &columns : by_worker) {
        std::vector<bool> taken(n_columns);
        for (const std::uint32_t column : columns) {
            if (column == no_column) continue;
            if (taken[column]) return true;
            taken[column] = true;
        }
    }
    return false;
}

Columns find_columns(Counter &counter, const GivenTerms &terms) {
    const bool has_words = counter.settings().has_words();
    const std::size_t n_workers = counter.workers().size();
    Columns columns{std::vector<std::vector<std::uint32_t>>(n_workers), terms.n_columns(), false, false};
    run_tasks(counter.n_threads(), n_workers, [&](unsigned, std::size_t worker, Watch &watch) {
        if (!counter.workers()[worker]) return;
        const TermTable &table = *counter.workers()[worker]->table();
        std::vector<std::uint32_t> &column_of = columns.by_worker[worker];
        column_of.assign(table.n_terms(), no_column);
        Lookup lookup(table, has_words);
        for (std::size_t begin = 0; begin < terms.size(); begin += Lookup::capacity) {
            const std::size_t end = std::min(begin + Lookup::capacity, terms.size());
            lookup.run(terms, begin, end, [&](std::size_t i, std::uint32_t term) {
                column_of[term] = checked_column(terms.column(i), terms.n_columns());
            });
            watch.check();
        }
    });
    columns.shared = has_shared_columns(columns.by_worker, terms.n_columns());
    return columns;
}

}  // namespace troenpy::text
