#include "text/term_table.hpp"

#include <random>

namespace troenpy::text {

namespace {

constexpr unsigned first_size_log2 = 10;
constexpr unsigned largest_size_log2 = 31;  // a slot is found by the upper half of the hash, less a bit

Seed draw_seed() {
    std::random_device device;
    const auto draw = [&] { return static_cast<std::uint64_t>(device()) << 32 | device(); };
    return {draw(), draw()};
}

std::uint64_t read_up_to_8(const char *text, std::size_t n) {
    std::uint64_t value = 0;
    std::memcpy(&value, text, n < 8 ? n : 8);
    return value;
}

}  // namespace

const Seed &process_seed() {
    static const Seed seed = draw_seed();
    return seed;
}

std::uint64_t hash_bytes(std::string_view text, const Seed &seed) {
    std::uint64_t hash = seed.first ^ text.size();
    for (std::size_t at = 0; at < text.size(); at += 8) {
        hash = cpu::fold_product(hash ^ read_up_to_8(text.data() + at, text.size() - at),
                                 seed.second ^ 0x9E3779B97F4A7C15u);
    }
    return hash;
}

TermTable::TermTable()
    : slots_(std::size_t{1} << first_size_log2), shift_(64 - first_size_log2), seed_(process_seed()) {
    terms_.reserve(1);
    terms_[0] = {};  // empty slots refer to it; no key equals it
}

std::uint32_t TermTable::find_long(std::string_view text, const Key &key, std::uint64_t hash) {
    const std::uint32_t tag = tag_of(hash);
    for (std::size_t i = hash >> shift_;; i = (i + 1) & (slots_.size() - 1)) {
        Slot &slot = slots_.data()[i];
        if (slot.place == 0) {
            const std::uint64_t place = arena_.size();
            const std::uint64_t length = text.size();
            const char *length_bytes = reinterpret_cast<const char *>(&length);
            arena_.insert(arena_.end(), length_bytes, length_bytes + sizeof(length));
            arena_.insert(arena_.end(), text.begin(), text.end());
            return add(slot, tag, {key.head, long_tag | place});
        }
        if (slot.tag != tag) continue;
        const Key &found = terms_[slot.place - 1].key;
        if (found.head == key.head && is_long(found) && long_text(found) == text) return slot.place - 1;
    }
}

void TermTable::exclude(std::string_view text) {
    reserve(1);
    if (text.size() > longest_inline) {
        const Key key = long_key(text);
        find_long(text, key, hash(key));
    } else {
        char padded[sizeof(Key)] = {};
        std::memcpy(padded, text.data(), text.size());
        const Key key = inline_key(padded, text.size());
        find(key, hash(key));
    }
    n_excluded_ = size_;
}

std::string_view TermTable::long_text(const Key &key) const {
    const char *place = arena_.data() + (key.tail & ~tag_mask);
    std::uint64_t length;
    std::memcpy(&length, place, sizeof(length));
    return {place + sizeof(length), length};
}

void TermTable::grow() {
    // Small tables grow fourfold, because most of them will become large.
    const unsigned step = slots_.size() < (std::size_t{1} << 17) ? 2 : 1;
    if (slots_.size() << step > std::size_t{1} << largest_size_log2)
        throw std::overflow_error("more than 1,500,000,000 different terms");
    Zeros<Slot> larger(slots_.size() << step);
    shift_ -= step;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        const Slot &slot = slots_.data()[i];
        if (slot.place == 0) continue;
        std::size_t at = slot.tag >> (shift_ - 32);
        while (larger.data()[at].place != 0) at = (at + 1) & (larger.size() - 1);
        larger.data()[at] = slot;
    }
    slots_ = std::move(larger);
}

}  // namespace troenpy::text
