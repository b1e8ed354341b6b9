#include "text/counter.hpp"

#include <algorithm>
#include <stdexcept>

namespace troenpy::text {

namespace {

constexpr std::uint64_t chunk_bytes = std::uint64_t{1} << 19, smallest_chunk_bytes = std::uint64_t{1} << 17;
constexpr std::size_t chunk_documents = std::size_t{1} << 16;

// Few texts are divided among all threads, too.
std::vector<std::size_t> chunk_borders(const std::vector<Text> &texts, unsigned n_threads) {
    std::uint64_t all_bytes = 0;
    for (const Text &text : texts) all_bytes += byte_length(text);
    const std::uint64_t share = all_bytes / n_threads / 2 + 1;
    const std::uint64_t most = n_threads == 1 ? chunk_bytes : std::clamp(share, smallest_chunk_bytes, chunk_bytes);
    std::vector<std::size_t> borders{0};
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        bytes += byte_length(texts[i]);
        if (bytes < most && i + 1 - borders.back() < chunk_documents) continue;
        borders.push_back(i + 1);
        bytes = 0;
    }
    if (borders.back() != texts.size()) borders.push_back(texts.size());
    return borders;
}

}  // namespace

Counter::Counter(Settings settings, unsigned n_threads, std::shared_ptr<TermIndex> index,
                 std::vector<std::shared_ptr<TermTable>> tables)
    : settings_(std::move(settings)), n_threads_(n_threads), index_(std::move(index)), tables_(std::move(tables)) {
    if (!tables_.empty() && tables_.size() != n_threads) throw std::invalid_argument("every thread needs a table");
    if (index_ != nullptr && index_->has_words() != settings_.has_words())
        throw std::invalid_argument("this index is of another kind of terms");
}

std::unique_ptr<Worker> Counter::make_worker(unsigned worker) const {
    if (index_ != nullptr) return std::make_unique<Worker>(settings_, *index_);
    return std::make_unique<Worker>(settings_, tables_.empty() ? nullptr : tables_[worker]);
}

void Counter::add(const std::vector<Text> &texts) {
    const std::vector<std::size_t> borders = chunk_borders(texts, n_threads_);
    const std::size_t first_chunk = chunks_.size(), n_chunks = borders.size() - 1;
    chunks_.resize(first_chunk + n_chunks);
    workers_.resize(std::max<std::size_t>(workers_.size(), useful_threads(n_threads_, n_chunks)));
    try {
        run_tasks(n_threads_, n_chunks, [&](unsigned worker, std::size_t task, Watch &watch) {
            if (!workers_[worker]) workers_[worker] = make_worker(worker);
            const std::size_t begin = borders[task];
            Chunk &chunk = chunks_[first_chunk + task];
            chunk =
                workers_[worker]->count(texts.data() + begin, borders[task + 1] - begin, n_documents_ + begin, watch);
            chunk.worker = worker;
        });
    } catch (...) {
        chunks_.resize(first_chunk);  // these documents are not among n_documents_
        throw;
    }
    n_documents_ += texts.size();
}

}  // namespace troenpy::text
