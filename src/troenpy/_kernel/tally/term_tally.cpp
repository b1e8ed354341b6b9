#include "tally/term_tally.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tally/counts.hpp"

namespace troenpy::tally {

using text::Key;
using text::no_term;
using text::TermTable;

namespace {

constexpr std::uint32_t terms_at_once = 64;  // looked up together, so that cache misses overlap
constexpr std::uint32_t terms_per_task = 8192;
constexpr std::uint64_t most_gathered = std::uint64_t{1} << 21;  // entries; or as many as there are terms

}  // namespace

TermTally::TermTally(std::uint32_t max_terms) : max_terms_(max_terms) {
    shards_.push_back(std::make_unique<Shard>());
    table_ = shards_[0]->table;
}

std::vector<std::shared_ptr<TermTable>> TermTally::tables(unsigned n) {
    std::vector<std::shared_ptr<TermTable>> tables;
    if (is_bounded() || cells().is_weighted()) return tables;
    while (shards_.size() < n) shards_.push_back(std::make_unique<Shard>());
    for (unsigned i = 0; i < n; ++i) tables.push_back(shards_[i]->table);
    return tables;
}

std::uint64_t TermTally::n_cells() const {
    std::uint64_t n = 0;
    for (const auto &shard : shards_) n += shard->cells.n_cells();
    return n;
}

void TermTally::hold(text::Counter &counter, Labels labels, bool is_binary) {
    if (counter.n_documents() != labels.n_documents())
        throw std::invalid_argument("documents and labels differ in number");
    std::vector<std::shared_ptr<TermTable>> sources;
    std::vector<std::uint32_t> n_terms;
    for (std::size_t i = 0; i < counter.workers().size(); ++i) {
        const auto &worker = counter.workers()[i];
        // A worker that had nothing to do would have counted in its shard.
        const auto &unused = i < shards_.size() ? shards_[i]->table : table_;
        sources.push_back(worker ? worker->table() : unused);
        n_terms.push_back(worker ? worker->table()->n_terms() : 0);
    }
    waiting_.hold(Batch({std::move(labels), std::move(counter.chunks()), is_binary}, std::move(n_terms)));
    counter.workers().clear();
    sources_ = std::move(sources);
    places_.clear();
}

bool TermTally::is_in_shards() const {
    return !sources_.empty() && sources_.size() <= shards_.size() &&
           std::equal(sources_.begin(), sources_.end(), shards_.begin(),
                      [](const auto &source, const auto &shard) { return source == shard->table; });
}

void TermTally::settle(std::uint64_t n, unsigned n_threads, Watch &watch) {
    if (waiting_.belongs(n)) {
        Batch &batch = *waiting_.batch();
        if (is_in_shards()) {
            gather(batch.documents(), n_threads);
        } else {
            add_gathered(n_threads);
            prepare_cells(batch.labels().n_classes);
            if (batch.is_weighted()) cells().start_weights();
            add_looked_up(batch, n_threads, watch);
        }
        waiting_.finish();
    }
    if (waiting_.batch() == nullptr) {
        sources_.clear();
        places_.clear();
    }
    std::uint64_t n_all = 0;
    for (const auto &shard : shards_) n_all += shard->table->n_terms();
    if (n_gathered_ > std::max(most_gathered, n_all)) add_gathered(n_threads);
}

void TermTally::prepare_cells(std::uint32_t n_classes) {
    for (const auto &shard : shards_) {
        shard->cells.set_classes(n_classes);
        shard->cells.resize(shard->table->n_terms());  // a batch that failed may have left terms behind
    }
}

void TermTally::gather(Documents &documents, unsigned n_threads) {
    if (adding_ || gathered_.is_binary != documents.is_binary) add_gathered(n_threads);
    std::uint64_t n_entries = 0;
    for (const text::Chunk &chunk : documents.chunks)
        n_entries += std::accumulate(chunk.lengths.begin(), chunk.lengths.end(), std::uint64_t{0});
    gathered_.append(documents);
    n_gathered_ += n_entries;
}

void TermTally::add_gathered(unsigned n_threads) {
    if (!adding_) {
        if (gathered_.labels.n_documents() == 0) return;
        std::vector<std::uint32_t> n_terms;
        for (const auto &shard : shards_) n_terms.push_back(shard->table->n_terms());
        prepare_cells(gathered_.labels.n_classes);
        adding_.emplace(Documents(), std::move(n_terms));
        std::swap(adding_->documents(), gathered_);  // last, as it cannot fail
    }
    adding_->sum(n_threads);
    run_tasks(n_threads, adding_->n_workers(), [&](unsigned, std::size_t worker, Watch &watch) {
        const auto same = [](std::uint32_t term) { return term; };
        adding_->add_sums(shards_[worker]->cells, worker, watch, same, same);
    });
    adding_.reset();
    n_gathered_ = 0;
}

void TermTally::add_looked_up(Batch &batch, unsigned n_threads, Watch &watch) {
    if (places_.empty()) find_places(n_threads);
    const auto guess = [&](std::uint32_t worker, std::uint32_t term) {
        const std::uint32_t place = places_[worker][term].term;
        if (place == no_term) table_->prefetch(table_->hash(sources_[worker]->key(term)));  // unless it is an n-gram
        return place;
    };
    if (is_bounded() || cells().is_weighted()) {
        const auto number = [&](std::uint32_t worker, std::uint32_t term) { return number_of(worker, term); };
        batch.add_entries(cells(), watch, number, guess);
        return;
    }
    batch.sum(n_threads);
    for (std::uint32_t worker = 0; worker < batch.n_workers(); ++worker) {
        batch.add_sums(
            cells(), worker, watch, [&](std::uint32_t term) { return number_of(worker, term); },
            [&](std::uint32_t term) { return guess(worker, term); });
    }
}

TermTally::Name TermTally::name_of(const TermTable &source, std::uint32_t term, std::string &spelled) const {
    const Key &key = source.key(term);
    Name name{key, 0, {}};
    if (text::is_pair(key)) {
        source.spell(term, spelled);
        const std::size_t length = spelled.size();
        spelled.resize(std::max(length, sizeof(Key)));  // a key is read from that many bytes
        name.text = {spelled.data(), length};
        name.key = table_->key_of(name.text);
    } else if (text::is_long(key)) {
        name.text = source.long_text(key);
        name.key = table_->long_key(name.text);
    }
    name.hash = table_->hash(name.key);
    return name;
}

void TermTally::find_places(unsigned n_threads) {
    std::vector<std::vector<Place>> places(sources_.size());
    std::vector<std::pair<std::size_t, std::uint32_t>> tasks;
    for (std::size_t worker = 0; worker < sources_.size(); ++worker) {
        places[worker].resize(sources_[worker]->n_terms());
        for (std::uint32_t begin = 0; begin < sources_[worker]->n_terms(); begin += terms_per_task)
            tasks.emplace_back(worker, begin);
    }
    run_tasks(n_threads, tasks.size(), [&](unsigned, std::size_t task, Watch &) {
        const auto [worker, begin] = tasks[task];
        find_places(*sources_[worker], places[worker], begin);
    });
    places_ = std::move(places);
}

void TermTally::find_places(const TermTable &source, std::vector<Place> &places, std::uint32_t begin) const {
    Name names[terms_at_once];
    std::string spelled[terms_at_once];
    const std::uint32_t end = std::min(begin + terms_per_task, source.n_terms());
    for (; begin < end; begin += terms_at_once) {
        const std::uint32_t n = std::min(terms_at_once, end - begin);
        for (std::uint32_t i = 0; i < n; ++i) {
            if (source.n_documents(begin + i) == 0) continue;  // only the first words of an n-gram
            names[i] = name_of(source, begin + i, spelled[i]);
            table_->prefetch(names[i].hash);
        }
        for (std::uint32_t i = 0; i < n; ++i) {
            if (source.n_documents(begin + i) > 0) table_->guess(names[i].hash);
        }
        for (std::uint32_t i = 0; i < n; ++i) {
            if (source.n_documents(begin + i) == 0) continue;
            const std::uint32_t found = table_->look_up(names[i].text, names[i].key, names[i].hash);
            if (found != no_term) places[begin + i] = {found, version(found)};
        }
    }
}

std::uint32_t TermTally::enter(std::uint32_t worker, std::uint32_t term) {
    const Name name = name_of(*sources_[worker], term, spelled_);
    std::uint32_t number = no_term;
    if (!is_bounded()) {
        number = add(name);
    } else {
        number = table_->look_up(name.text, name.key, name.hash);
        if (number == no_term) number = n_terms() >= max_terms_ ? replace_least(name) : add(name);
    }
    places_[worker][term] = {number, version(number)};
    return number;
}

// The number of a term, which is added if it is new.
std::uint32_t TermTally::add(const Name &name) {
    table_->reserve(1);
    cells().resize(n_terms() + 1);
    if (is_bounded()) {
        entrances_.resize(n_terms());  // in case it failed after this the last time
        entrances_.push_back({n_entrances_, 0});
    }
    const std::uint32_t number =
        text::is_long(name.key) ? table_->find_long(name.text, name.key, name.hash) : table_->find(name.key, name.hash);
    ++n_entrances_;
    return number;
}

std::uint32_t TermTally::replace_least(const Name &name) {
    while (next_least_ < least_.size() && upper_bound(least_[next_least_]) > least_bound_) ++next_least_;
    if (next_least_ == least_.size()) find_least();
    const std::uint32_t term = least_[next_least_];
    table_->replace(term, name.text, name.key, name.hash);
    ++next_least_;
    cells().clear(term);
    entrances_[term] = {n_entrances_++, least_bound_};
    kept_above_ = least_bound_;
    return term;
}

void TermTally::find_least() {
    std::uint64_t bound = upper_bound(0);
    for (std::uint32_t term = 1; term < n_terms(); ++term) bound = std::min(bound, upper_bound(term));
    std::vector<std::uint32_t> least;
    for (std::uint32_t term = 0; term < n_terms(); ++term) {
        if (upper_bound(term) == bound) least.push_back(term);
    }
    std::sort(least.begin(), least.end(),
              [&](std::uint32_t a, std::uint32_t b) { return entrances_[a].order < entrances_[b].order; });
    least_ = std::move(least);
    least_bound_ = bound;
    next_least_ = 0;
}

Counts TermTally::counts(const std::vector<std::int32_t> &ranks, unsigned n_threads) {
    add_gathered(n_threads);
    Counts result = merged_counts(shards_, ranks, n_threads);
    if (!is_bounded()) return result;
    result.errors.reserve(result.terms.size());
    result.order.reserve(result.terms.size());
    for (const std::uint32_t term : result.terms) {
        result.errors.push_back(static_cast<std::int64_t>(error(term)));
        result.order.push_back(static_cast<std::int64_t>(order(term)));
    }
    return result;
}

std::uint32_t TermTally::restore(std::string_view text, std::uint64_t error) {
    spelled_.assign(text);
    spelled_.resize(std::max(text.size(), sizeof(Key)));
    const std::string_view padded(spelled_.data(), text.size());
    const Key key = table_->key_of(padded);
    const std::uint64_t hash = table_->hash(key);
    if (table_->look_up(padded, key, hash) != no_term) throw std::invalid_argument("a term is there twice");
    const std::uint32_t term = add({key, hash, padded});
    if (is_bounded()) entrances_[term].error = error;
    return term;
}

}  // namespace troenpy::tally
