#include "tally/counts.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "cpu.hpp"
#include "parallel.hpp"
#include "tally/sorting.hpp"

namespace troenpy::tally {

namespace {

constexpr std::size_t ahead = 12;                           // terms, so that their cache misses overlap
constexpr std::size_t usual_bytes = 10, usual_classes = 4;  // of a term
constexpr std::size_t smallest_part = 4096;                 // terms for a thread

using Shards = std::vector<std::unique_ptr<Shard>>;

// Sums the counts of consecutive terms.
class Merger {
public:
    Merger(const Shards &shards, const std::vector<std::int32_t> &ranks)
        : shards_(shards), ranks_(ranks), sums_(ranks.size()) {}

    // With room for n terms, or more.
    Counts merge(const TermOfShard *begin, const TermOfShard *end, std::size_t n) {
        Counts result;
        reserve(result, n);
        for (const TermOfShard *at = begin; at < end;) {
            result.terms.push_back(at->term);
            write_text(*at, result);
            ClassCells::Totals sum;
            do {
                if (end - at > static_cast<std::ptrdiff_t>(2 * ahead)) prefetch(at);
                add(*at, sum);
            } while (++at < end && at->is_repeated);
            result.n_documents.push_back(sum.n_documents);
            result.weights.push_back(sum.weight);
            result.occurrences.push_back(sum.occurrences);
            write_classes(result);
        }
        return result;
    }

private:
    static void reserve(Counts &result, std::size_t n) {
        result.terms.reserve(n);
        result.text.reserve(usual_bytes * n);
        result.classes.reserve(usual_classes * n);
        result.counts.reserve(usual_classes * n);
        for (std::vector<std::int64_t> *array : {&result.ends, &result.n_documents, &result.indptr})
            array->reserve(n + 1);
        for (std::vector<double> *array : {&result.weights, &result.occurrences}) array->reserve(n);
    }

    void write_text(const TermOfShard &of, Counts &result) const {
        const std::uint64_t bytes[] = {cpu::reverse_bytes(of.head), cpu::reverse_bytes(of.tail)};
        std::string_view name(reinterpret_cast<const char *>(bytes), of.length);
        if (of.length == 0) name = shards_[of.shard]->table->text(of.term);
        result.text.insert(result.text.end(), name.begin(), name.end());
        result.ends.push_back(static_cast<std::int64_t>(result.text.size()));
    }

    TROENPY_ALWAYS_INLINE void prefetch(const TermOfShard *at) const {
        shards_[at[2 * ahead].shard]->cells.prefetch(at[2 * ahead].term);
        shards_[at[ahead].shard]->cells.prefetch_cell(at[ahead].term, 0);
    }

    void add(const TermOfShard &of, ClassCells::Totals &sum) {
        const ClassCells &cells = shards_[of.shard]->cells;
        const ClassCells::Totals &totals = cells.totals(of.term);
        sum.n_documents += totals.n_documents;
        sum.weight += totals.weight;
        sum.occurrences += totals.occurrences;
        cells.for_each_cell(of.term, [&](std::uint32_t code, double count) {
            const std::int32_t rank = ranks_[code];
            double &known = sums_[static_cast<std::size_t>(rank)];
            if (known == 0 && count != 0) touched_.push_back(rank);  // all its documents may weigh 0
            known += count;
        });
    }

    void write_classes(Counts &result) {
        if (touched_.size() > 1) std::sort(touched_.begin(), touched_.end());
        for (const std::int32_t rank : touched_) {
            result.classes.push_back(rank);
            result.counts.push_back(std::exchange(sums_[static_cast<std::size_t>(rank)], 0.0));
        }
        touched_.clear();
        result.indptr.push_back(static_cast<std::int64_t>(result.classes.size()));
    }

    const Shards &shards_;
    const std::vector<std::int32_t> &ranks_;
    // Of the current term.
    std::vector<double> sums_;           // by class
    std::vector<std::int32_t> touched_;  // classes with documents
};

template <typename T>
void append(std::vector<T> &to, const std::vector<T> &from, T plus = T{}) {
    const std::size_t n = to.size();
    to.insert(to.end(), from.begin(), from.end());
    if (plus != T{})
        std::for_each(to.begin() + static_cast<std::ptrdiff_t>(n), to.end(), [&](T &value) { value += plus; });
}

Counts joined(std::vector<Counts> parts) {
    Counts all = std::move(parts[0]);
    all.indptr.insert(all.indptr.begin(), 0);
    parts.erase(parts.begin());
    for (Counts &part : parts) {
        append(all.ends, part.ends, static_cast<std::int64_t>(all.text.size()));
        append(all.indptr, part.indptr, static_cast<std::int64_t>(all.classes.size()));
        append(all.terms, part.terms);
        append(all.text, part.text);
        append(all.n_documents, part.n_documents);
        append(all.weights, part.weights);
        append(all.occurrences, part.occurrences);
        append(all.classes, part.classes);
        append(all.counts, part.counts);
        part = Counts();
    }
    return all;
}

}  // namespace

Counts merged_counts(const Shards &shards, const std::vector<std::int32_t> &ranks, unsigned n_threads) {
    const SortedTerms sorted = sorted_terms(shards, n_threads);
    const std::size_t n_parts = sorted.size < smallest_part * n_threads ? 1 : n_threads;
    std::vector<std::size_t> borders{0};
    for (std::size_t part = 1; part <= n_parts; ++part) {
        std::size_t end = std::max(borders.back(), sorted.size * part / n_parts);
        while (end < sorted.size && sorted.terms[end].is_repeated) ++end;
        borders.push_back(end);
    }
    std::vector<Counts> parts(n_parts);
    run_tasks(n_threads, n_parts, [&](unsigned, std::size_t part, Watch &) {
        const std::size_t room = sorted.size - (part == 0 ? 0 : borders[part]);  // the others are appended to the first
        parts[part] = Merger(shards, ranks)
                          .merge(sorted.terms.data() + borders[part], sorted.terms.data() + borders[part + 1], room);
    });
    return joined(std::move(parts));
}

void restore(ClassCells &cells, std::uint32_t term, const SavedCounts &saved, std::size_t column) {
    cells.set_totals(term, saved.weights[column], saved.occurrences[column],
                     static_cast<std::uint32_t>(saved.n_documents[column]));
    for (std::int64_t at = saved.indptr[column]; at < saved.indptr[column + 1]; ++at)
        cells.add_to_cell(term, static_cast<std::uint32_t>(saved.classes[at]), saved.counts[at]);
}

}  // namespace troenpy::tally
