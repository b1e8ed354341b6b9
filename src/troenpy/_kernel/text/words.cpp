// Words and tokens, and n-grams of them.

#include "cpu.hpp"
#include "text/runs.hpp"
#include "text/worker.hpp"

namespace troenpy::text {

// Adds all words of two characters or more, or all tokens.
template <bool tokens>
TROENPY_ALWAYS_INLINE void Worker::add_words_anywhere(Watch &watch, bool counted, std::vector<std::uint32_t> *terms) {
    const char *bytes = normaliser_.bytes();
    std::size_t n = 0;  // a local copy, so that the loop does not wait for each store
    const auto add = [&](std::uint64_t begin, std::uint64_t end) {
        if (n == Batch::capacity) {
            batch_.size = n;
            flush(watch, counted, terms);
            n = 0;
        }
        put(n, bytes + begin, end - begin);
        n += tokens || end - begin > 1;  // a single letter is not a word; no branch, because it would be mispredicted
    };
    if constexpr (tokens) {
        for_each_token(normaliser_, add);
    } else {
        for_each_run(normaliser_, add);
    }
    batch_.size = n;
    flush(watch, counted, terms);
}

// The same loop, with bit-counting instructions.
template <bool tokens>
TROENPY_TARGET_BITS void Worker::add_words_by_bits(Watch &watch, bool counted, std::vector<std::uint32_t> *terms) {
    add_words_anywhere<tokens>(watch, counted, terms);
}

template <bool tokens>
void Worker::add_words_by_cpu(Watch &watch, bool counted, std::vector<std::uint32_t> *terms) {
    has_bit_instructions_ ? add_words_by_bits<tokens>(watch, counted, terms)
                          : add_words_anywhere<tokens>(watch, counted, terms);
}

void Worker::add_words(Watch &watch, bool counted, std::vector<std::uint32_t> *terms) {
    settings_.analyzer == Analyzer::text ? add_words_by_cpu<true>(watch, counted, terms)
                                         : add_words_by_cpu<false>(watch, counted, terms);
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

}  // namespace troenpy::text
