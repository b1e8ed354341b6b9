#include "term_table.hpp"

#include <random>

namespace troenpy {

namespace {

constexpr unsigned first_size_log2 = 10;

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
        hash =
            mix(hash ^ read_up_to_8(text.data() + at, text.size() - at), seed.second ^ 0x9E3779B97F4A7C15u);
    }
    return hash;
}

TermTable::TermTable()
    : slots_(std::size_t{1} << first_size_log2), shift_(64 - first_size_log2), seed_(process_seed()) {}

Slot &TermTable::find_long(std::string_view text, const Key &key, std::uint64_t hash) {
    for (std::size_t i = hash >> shift_;; i = (i + 1) & (slots_.size() - 1)) {
        Slot &slot = slots_.data()[i];
        if (slot.key.head == key.head && is_long(slot.key) && long_text(slot.key) == text) return slot;
        if (slot.key.tail != 0) continue;
        const std::uint64_t place = arena_.size();
        const std::uint64_t length = text.size();
        const char *length_bytes = reinterpret_cast<const char *>(&length);
        arena_.insert(arena_.end(), length_bytes, length_bytes + sizeof(length));
        arena_.insert(arena_.end(), text.begin(), text.end());
        return add(slot, {key.head, long_tag | place});
    }
}

Slot &TermTable::find_text(std::string_view text) {
    reserve(1);
    if (text.size() > longest_inline) {
        const Key key = long_key(text);
        return find_long(text, key, hash(key));
    }
    char padded[sizeof(Key)] = {};
    std::memcpy(padded, text.data(), text.size());
    const Key key = inline_key(padded, text.size());
    return find(key, hash(key));
}

void TermTable::exclude(Slot &slot) {
    if (slot.term == no_term) return;
    slot.term = no_term;
    --n_terms_;
}

std::vector<Key> TermTable::keys() const {
    std::vector<Key> keys(n_terms_);
    for (const Slot &slot : *this) {
        if (slot.key.tail != 0 && slot.term != no_term) keys[slot.term] = slot.key;
    }
    return keys;
}

std::string_view TermTable::long_text(const Key &key) const { return text_in_arena(arena_, key); }

std::string_view text_in_arena(const std::vector<char> &arena, const Key &key) {
    const char *place = arena.data() + (key.tail & ~tag_mask);
    std::uint64_t length;
    std::memcpy(&length, place, sizeof(length));
    return {place + sizeof(length), length};
}

void TermTable::grow() {
    // Small tables quadruple: most of them will be large.
    const unsigned step = slots_.size() < (std::size_t{1} << 17) ? 2 : 1;
    Zeros<Slot> larger(slots_.size() << step);
    shift_ -= step;
    for (const Slot &slot : *this) {
        if (slot.key.tail == 0) continue;
        std::size_t i = hash(slot.key) >> shift_;
        while (larger.data()[i].key.tail != 0) i = (i + 1) & (larger.size() - 1);
        larger.data()[i] = slot;
    }
    slots_ = std::move(larger);
}

}  // namespace troenpy
