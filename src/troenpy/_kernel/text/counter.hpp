// Counts the terms of documents in several threads: each worker counts whole chunks of documents.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "text/term_index.hpp"
#include "text/text.hpp"
#include "text/worker.hpp"

namespace troenpy::text {

// The counts of all batches so far.
class Counter {
public:
    // With an index, only its terms are counted. With tables, one for each thread, counting goes on in them.
    Counter(Settings settings, unsigned n_threads, std::shared_ptr<TermIndex> index = nullptr,
            std::vector<std::shared_ptr<TermTable>> tables = {});
    Counter(const Counter &) = delete;
    Counter &operator=(const Counter &) = delete;

    void add(const std::vector<Text> &texts);

    std::uint64_t n_documents() const { return n_documents_; }
    unsigned n_threads() const { return n_threads_; }
    const Settings &settings() const { return settings_; }
    const TermIndex *index() const { return index_.get(); }
    std::vector<std::unique_ptr<Worker>> &workers() { return workers_; }
    std::vector<Chunk> &chunks() { return chunks_; }

private:
    std::unique_ptr<Worker> make_worker(unsigned worker) const;

    Settings settings_;
    unsigned n_threads_;
    std::shared_ptr<TermIndex> index_;
    std::vector<std::shared_ptr<TermTable>> tables_;
    std::uint64_t n_documents_ = 0;
    std::vector<std::unique_ptr<Worker>> workers_;  // at most as many as chunks counted at the same time
    std::vector<Chunk> chunks_;                     // in the order of documents
};

}  // namespace troenpy::text
