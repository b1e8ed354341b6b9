// N-grams of characters.

#include <algorithm>
#include <cstring>

#include "text/runs.hpp"
#include "text/worker.hpp"

namespace troenpy::text {

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
    for_each_run(normaliser_, [&](std::uint64_t begin, std::uint64_t end) {
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
    for_each_run(normaliser_, [&](std::uint64_t begin, std::uint64_t end) {
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
    if (starts_.empty() && n <= longest_inline) return add_short_windows(begin, end, n, watch);
    for (std::uint64_t i = begin; i + n <= end; ++i) {
        if (batch_.size == Batch::capacity) flush(watch, true);
        const char *first = character(i);
        put(batch_.size++, first, static_cast<std::size_t>(character(i + n) - first));
    }
}

// The same for ASCII and short n: all keys have the same length, so that nothing is checked for each.
void Worker::add_short_windows(std::uint64_t begin, std::uint64_t end, std::uint32_t n, Watch &watch) {
    const char *first = chars_.data() + begin;
    std::size_t n_left = end - begin < n ? 0 : end - begin - n + 1;
    while (n_left > 0) {
        if (batch_.size == Batch::capacity) flush(watch, true);
        const std::size_t n_now = std::min(n_left, Batch::capacity - batch_.size);
        for (std::size_t i = 0; i < n_now; ++i) put_key(batch_.size + i, inline_key(first + i, n));
        batch_.size += n_now;
        first += n_now;
        n_left -= n_now;
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

}  // namespace troenpy::text
