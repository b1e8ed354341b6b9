#include "text/vocabulary.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "cpu.hpp"
#include "storage.hpp"

namespace troenpy::text {

namespace {

struct Owner {
    std::uint32_t worker, term;
};

// A word as two numbers, which compare like its first 15 bytes and then its length.
struct Word {
    std::uint64_t head, tail;
    Owner owner;
};

struct Ngram {
    std::uint32_t parent, last;
    Owner owner;
};

constexpr std::uint64_t longer_than_inline = longest_inline + 1;

Word inline_word(const Key &key, Owner owner) {
    return {cpu::reverse_bytes(key.head), cpu::reverse_bytes(key.tail & ~tag_mask) | key.tail >> tag_shift, owner};
}

Key key_of(const Word &inline_word) {
    return {cpu::reverse_bytes(inline_word.head),
            cpu::reverse_bytes(inline_word.tail & ~std::uint64_t{0xFF}) | inline_word.tail << tag_shift};
}

Word long_word(std::string_view text, Owner owner) {
    const Key key = inline_key(text.data(), longest_inline);
    Word word = inline_word(key, owner);
    word.tail = (word.tail & ~std::uint64_t{0xFF}) | longer_than_inline;
    return word;
}

bool is_long(const Word &word) { return (word.tail & 0xFF) == longer_than_inline; }

// Distributes values to buckets, keeping the order of parts and of values within a part; returns where the
// buckets begin. each(part, body) must call body(value) for every value of a part; it is called twice.
template <typename T, typename Each, typename Bucket>
std::vector<std::uint64_t> scatter(Buffer<T> &values, std::size_t n_parts, std::size_t n_buckets, unsigned n_threads,
                                   Each each, Bucket bucket) {
    std::vector<std::vector<std::uint64_t>> next(n_parts);
    run_tasks(n_threads, n_parts, [&](unsigned, std::size_t part, Watch &) {
        next[part].assign(n_buckets, 0);
        std::uint64_t *counts = next[part].data();
        each(part, [&](const T &value) { ++counts[bucket(value)]; });
    });
    std::vector<std::uint64_t> borders(n_buckets + 1);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < n_buckets; ++i) {
        borders[i] = sum;
        for (std::vector<std::uint64_t> &of_part : next) sum += std::exchange(of_part[i], sum);
    }
    borders[n_buckets] = sum;
    values.reserve(sum);
    run_tasks(n_threads, n_parts, [&](unsigned, std::size_t part, Watch &) {
        std::uint64_t *places = next[part].data();
        T *scattered = values.data();
        each(part, [&](const T &value) { scattered[places[bucket(value)]++] = value; });
    });
    return borders;
}

// Calls sort(thread, first, last) for every bucket with more than one value; borders[b] is where bucket b begins.
template <typename T, typename Sort>
void sort_buckets(T *values, const std::vector<std::uint64_t> &borders, unsigned n_threads, Sort sort) {
    constexpr std::uint64_t task_size = 1 << 14;
    std::vector<std::size_t> tasks{0};
    for (std::size_t bucket = 0; bucket + 1 < borders.size(); ++bucket) {
        if (borders[bucket + 1] - borders[tasks.back()] >= task_size) tasks.push_back(bucket + 1);
    }
    if (tasks.back() != borders.size() - 1) tasks.push_back(borders.size() - 1);
    run_tasks(n_threads, tasks.size() - 1, [&](unsigned thread, std::size_t task, Watch &) {
        for (std::size_t bucket = tasks[task]; bucket < tasks[task + 1]; ++bucket) {
            if (borders[bucket + 1] - borders[bucket] > 1)
                sort(thread, values + borders[bucket], values + borders[bucket + 1]);
        }
    });
}

// Sorts words with the same first two bytes; if there are many, first splits them by the third.
template <typename Less>
void sort_words(Word *first, Word *last, Buffer<Word> &parted, Less less) {
    constexpr std::ptrdiff_t many = 64;
    if (last - first < many) return std::sort(first, last, less);
    const auto third_byte = [](const Word &word) { return word.head >> 40 & 0xFF; };
    std::array<std::size_t, 257> borders{};
    for (const Word *word = first; word < last; ++word) ++borders[third_byte(*word) + 1];
    std::partial_sum(borders.begin(), borders.end(), borders.begin());
    std::array<std::size_t, 257> next = borders;
    parted.reserve(static_cast<std::size_t>(last - first));
    for (const Word *word = first; word < last; ++word) parted[next[third_byte(*word)]++] = *word;
    std::copy(parted.data(), parted.data() + (last - first), first);
    for (std::size_t byte = 0; byte < 256; ++byte) {
        if (borders[byte + 1] - borders[byte] > 1) std::sort(first + borders[byte], first + borders[byte + 1], less);
    }
}

}  // namespace

Vocabulary::Vocabulary(Counter &counter) {
    for (std::unique_ptr<Worker> &worker : counter.workers()) {
        Source &source = sources_.emplace_back();
        source.table = worker ? worker->table() : std::make_shared<TermTable>();
        source.nodes.resize(source.table->n_terms());
        worker.reset();
    }
    const Settings &settings = counter.settings();
    const bool has_tree = settings.has_words() && settings.max_n > 1;
    if (has_tree) {
        for (Source &source : sources_) find_levels(source);
    }
    merge_words(counter.n_threads());
    for (std::uint32_t level = 1; has_tree && level < settings.max_n && level_size(level - 1) > 0; ++level) {
        merge_level(level, counter.n_threads());
    }
    check_size();
    number(has_tree ? settings.min_n : 1);
    place(has_tree ? settings.min_n - 1 : 0);
}

// The prefix of an n-gram was added before it, so one pass in order of numbers is enough.
void Vocabulary::find_levels(Source &source) {
    source.levels.assign(source.table->n_terms(), 0);
    for (std::uint32_t i = 0; i < source.table->n_terms(); ++i) {
        const Key &key = source.table->key(i);
        if (is_pair(key)) source.levels[i] = source.levels[key.head >> 32] + 1;
    }
}

void Vocabulary::merge_words(unsigned n_threads) {
    const auto each_word = [&](std::size_t worker, auto &&body) {
        const TermTable &table = *sources_[worker].table;
        for (std::uint32_t term = 0; term < table.n_terms(); ++term) {
            const Key &key = table.key(term);
            if (is_pair(key)) continue;
            const Owner owner{static_cast<std::uint32_t>(worker), term};
            body(text::is_long(key) ? long_word(table.long_text(key), owner) : inline_word(key, owner));
        }
    };
    const auto text = [&](const Word &word) {
        const TermTable &table = *sources_[word.owner.worker].table;
        return table.long_text(table.key(word.owner.term));
    };
    const auto less = [&](const Word &a, const Word &b) {
        if (a.head != b.head) return a.head < b.head;
        if (a.tail != b.tail) return a.tail < b.tail;
        return is_long(a) && text(a) < text(b);
    };
    const auto same = [&](const Word &a, const Word &b) {
        return a.head == b.head && a.tail == b.tail && (!is_long(a) || text(a) == text(b));
    };
    Buffer<Word> words;
    const auto borders = scatter(words, sources_.size(), std::size_t{1} << 16, n_threads, each_word,
                                 [](const Word &word) { return word.head >> 48; });
    std::vector<Buffer<Word>> parted(n_threads);
    sort_buckets(words.data(), borders, n_threads,
                 [&](unsigned thread, Word *first, Word *last) { sort_words(first, last, parted[thread], less); });
    words_.reserve(borders.back());
    word_owners_.reserve(borders.back());
    for (std::size_t i = 0; i < borders.back(); ++i) {
        const Owner owner = words[i].owner;
        if (i == 0 || !same(words[i - 1], words[i])) {
            words_.push_back(is_long(words[i]) ? sources_[owner.worker].table->key(owner.term) : key_of(words[i]));
            word_owners_.push_back(owner.worker);
        }
        sources_[owner.worker].nodes[owner.term] = static_cast<std::uint32_t>(words_.size() - 1);
    }
    levels_.emplace_back();
}

void Vocabulary::merge_level(std::uint32_t level, unsigned n_threads) {
    const auto each_ngram = [&](std::size_t, auto &&body) {
        for (std::uint32_t worker = 0; worker < sources_.size(); ++worker) {
            const Source &source = sources_[worker];
            for (std::uint32_t term = 0; term < source.table->n_terms(); ++term) {
                if (source.levels[term] != level) continue;
                const std::uint64_t pair = source.table->key(term).head;
                const auto last = static_cast<std::uint32_t>(pair);
                body(Ngram{source.nodes[pair >> 32], source.nodes[last], {worker, term}});
            }
        }
    };
    Buffer<Ngram> ngrams;  // a single part, because there may be too many buckets for one set per worker
    const auto borders = scatter(ngrams, 1, level_size(level - 1), n_threads, each_ngram,
                                 [](const Ngram &ngram) { return ngram.parent; });
    sort_buckets(ngrams.data(), borders, n_threads, [](unsigned, Ngram *first, Ngram *last) {
        std::sort(first, last, [](const Ngram &a, const Ngram &b) { return a.last < b.last; });
    });
    std::vector<Node> nodes;
    nodes.reserve(borders.back());
    for (std::uint64_t i = 0; i < borders.back(); ++i) {
        const Ngram &ngram = ngrams[i];
        if (nodes.empty() || nodes.back().parent != ngram.parent || nodes.back().last != ngram.last) {
            nodes.push_back({ngram.parent, ngram.last});
        }
        sources_[ngram.owner.worker].nodes[ngram.owner.term] = static_cast<std::uint32_t>(nodes.size() - 1);
    }
    levels_.push_back(std::move(nodes));
}

void Vocabulary::check_size() const {
    std::uint64_t n_nodes = 0;
    for (std::size_t level = 0; level < levels_.size(); ++level) n_nodes += level_size(level);
    if (n_nodes >= no_column) throw std::overflow_error("more than 2**32 - 2 different terms");
}

// Columns in pre-order: a node, if it is long enough, then the n-grams that begin with it.
void Vocabulary::number(std::uint32_t min_n) {
    if (levels_.size() == 1 && min_n == 1) {
        terms_.resize(words_.size());
        for (std::uint32_t i = 0; i < words_.size(); ++i) terms_[i] = {0, i};
        return;
    }
    const auto own = [&](std::size_t level) { return std::uint32_t{level + 1 >= min_n}; };
    std::vector<std::vector<std::uint32_t>> sizes(levels_.size());  // of the subtree at each node
    for (std::size_t level = levels_.size(); level-- > 0;) {
        sizes[level].assign(level_size(level), own(level));
        if (level + 1 == levels_.size()) continue;
        for (std::size_t i = 0; i < levels_[level + 1].size(); ++i) {
            sizes[level][levels_[level + 1][i].parent] += sizes[level + 1][i];
        }
    }
    std::uint64_t n_terms = 0;
    for (const std::uint32_t size : sizes[0]) n_terms += size;
    terms_.resize(n_terms);

    std::vector<std::uint32_t> next_of_parents{0};
    for (std::size_t level = 0; level < levels_.size(); ++level) {
        std::vector<std::uint32_t> next_of_children(level_size(level));
        for (std::size_t i = 0; i < level_size(level); ++i) {
            std::uint32_t &next = next_of_parents[level == 0 ? 0 : levels_[level][i].parent];
            if (own(level)) terms_[next] = {static_cast<std::uint32_t>(level), static_cast<std::uint32_t>(i)};
            next_of_children[i] = next + own(level);
            next += sizes[level][i];
        }
        next_of_parents.swap(next_of_children);
    }
}

void Vocabulary::place(std::uint32_t first_level) {
    std::vector<std::vector<std::uint32_t>> places(levels_.size());
    for (std::size_t level = 0; level < levels_.size(); ++level) places[level].assign(level_size(level), no_column);
    for (std::size_t term = 0; term < terms_.size(); ++term) {
        places[terms_[term].level][terms_[term].node] = static_cast<std::uint32_t>(term);
    }
    n_documents_.assign(terms_.size(), 0);
    for (Source &source : sources_) {
        std::vector<std::uint32_t> &by_term = places_.emplace_back(source.table->n_terms());
        for (std::uint32_t term = 0; term < by_term.size(); ++term) {
            const std::uint32_t level = source.levels.empty() ? 0 : source.levels[term];
            const std::uint32_t place = level < first_level ? no_column : places[level][source.nodes[term]];
            by_term[term] = place;
            if (place != no_column) n_documents_[place] += source.table->n_documents(term);
        }
        source.levels = {};
        source.nodes = {};
    }
}

void Vocabulary::keep(const bool *kept) {
    std::size_t n_kept = 0;
    for (std::size_t term = 0; term < terms_.size(); ++term) {
        if (!kept[term]) continue;
        terms_[n_kept] = terms_[term];
        n_documents_[n_kept++] = n_documents_[term];
    }
    terms_.resize(n_kept);
    n_documents_.resize(n_kept);
}

std::string_view Vocabulary::word(std::uint32_t rank) const {
    const Key &key = words_[rank];
    if (text::is_long(key)) return sources_[word_owners_[rank]].table->long_text(key);
    return inline_text(key);
}

void Vocabulary::spell(std::uint64_t term, std::string &text) const {
    std::uint32_t level = terms_[term].level;
    std::uint32_t node = terms_[term].node;
    if (level == 0) {
        text.assign(word(node));
        return;
    }
    // The words are found from last to first: sum the lengths, then copy the words to their positions.
    std::size_t length = level;
    std::uint32_t first = node;
    for (std::uint32_t at = level; at > 0; first = levels_[at][first].parent, --at) {
        length += word(levels_[at][first].last).size();
    }
    length += word(first).size();
    text.resize(length);
    const auto put = [&](std::string_view part) {
        length -= part.size();
        std::memcpy(text.data() + length, part.data(), part.size());
    };
    for (; level > 0; node = levels_[level][node].parent, --level) {
        put(word(levels_[level][node].last));
        put(" ");
    }
    put(word(node));
}

void Vocabulary::pack(std::vector<std::uint8_t> &text, std::vector<std::int64_t> &ends, unsigned n_threads) const {
    constexpr std::uint64_t task_size = 1 << 16;
    const std::uint64_t n_tasks = (size() + task_size - 1) / task_size;
    std::vector<std::vector<std::uint8_t>> texts(n_tasks);
    ends.resize(size());
    const auto end_of = [&](std::size_t task) { return std::min(size(), (task + 1) * task_size); };
    run_tasks(n_threads, n_tasks, [&](unsigned, std::size_t task, Watch &) {
        std::string term;
        for (std::uint64_t i = task * task_size; i < end_of(task); ++i) {
            spell(i, term);
            texts[task].insert(texts[task].end(), term.begin(), term.end());
            ends[i] = static_cast<std::int64_t>(texts[task].size());
        }
    });
    std::size_t n_bytes = 0;
    for (const std::vector<std::uint8_t> &part : texts) n_bytes += part.size();
    text.reserve(n_bytes);
    for (std::uint64_t task = 0; task < n_tasks; ++task) {
        const auto before = static_cast<std::int64_t>(text.size());
        for (std::uint64_t i = task * task_size; i < end_of(task); ++i) ends[i] += before;
        text.insert(text.end(), texts[task].begin(), texts[task].end());
        texts[task] = {};
    }
}

std::vector<std::shared_ptr<TermTable>> Vocabulary::tables() const {
    std::vector<std::shared_ptr<TermTable>> tables;
    for (const Source &source : sources_) tables.push_back(source.table);
    return tables;
}

}  // namespace troenpy::text
