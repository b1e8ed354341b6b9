#include "text/term_table.hpp"

#include <algorithm>
#include <random>

namespace troenpy::text {

namespace {

constexpr unsigned first_size_log2 = 10;
constexpr std::uint64_t smallest_waste = std::uint64_t{1} << 16;  // bytes of the arena
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
            const std::uint64_t place = store(text);
            return add(slot, tag, {key.head, long_tag | place});
        }
        if (slot.tag != tag) continue;
        const Key &found = terms_[slot.place - 1].key;
        if (found.head == key.head && is_long(found) && long_text(found) == text) return slot.place - 1;
    }
}

// Appends a text and its length to the arena, and returns its position there.
std::uint64_t TermTable::store(std::string_view text) {
    const std::uint64_t place = arena_.size();
    const std::uint64_t length = text.size();
    const char *length_bytes = reinterpret_cast<const char *>(&length);
    if (arena_.capacity() - place < sizeof(length) + length)  // all or nothing
        arena_.reserve(std::max<std::size_t>(2 * arena_.capacity(), place + sizeof(length) + length));
    arena_.insert(arena_.end(), length_bytes, length_bytes + sizeof(length));
    arena_.insert(arena_.end(), text.begin(), text.end());
    return place;
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

void TermTable::spell(std::uint32_t number, std::string &text) const {
    std::vector<std::uint32_t> later_words;  // in reverse order
    for (; is_pair(key(number)); number = static_cast<std::uint32_t>(key(number).head >> 32))
        later_words.push_back(static_cast<std::uint32_t>(key(number).head));
    text = this->text(number);
    for (auto word = later_words.rbegin(); word != later_words.rend(); ++word) {
        text += ' ';
        text += this->text(*word);
    }
}

void TermTable::replace(std::uint32_t number, std::string_view text, const Key &key, std::uint64_t hash) {
    const std::uint32_t place = number + n_excluded_;
    Key &old = terms_[place].key;
    const std::uint64_t n_freed = is_long(old) ? sizeof(std::uint64_t) + long_text(old).size() : 0;
    const Key stored = is_long(key) ? Key{key.head, long_tag | store(text)} : key;
    free_slot(place);
    terms_[place] = {stored, 0, 0, 0};
    const std::uint32_t tag = tag_of(hash);
    std::size_t at = hash >> shift_;
    while (slots_.data()[at].place != 0) at = (at + 1) & (slots_.size() - 1);
    slots_.data()[at] = {tag, place + 1};
    n_unused_ += n_freed;
    if (n_unused_ > arena_.size() / 2 && n_unused_ > smallest_waste) compact_arena();
}

// Moves back the slots after it that its place keeps from their homes.
void TermTable::free_slot(std::uint32_t place) {
    Slot *const slots = slots_.data();
    const std::size_t mask = slots_.size() - 1;
    std::size_t gap = hash(terms_[place].key) >> shift_;
    while (slots[gap].place != place + 1) gap = (gap + 1) & mask;
    for (std::size_t at = (gap + 1) & mask; slots[at].place != 0; at = (at + 1) & mask) {
        if (((at - home(slots[at])) & mask) < ((at - gap) & mask)) continue;
        slots[gap] = slots[at];
        gap = at;
    }
    slots[gap] = {};
}

// If memory runs out, the arena stays as it is.
void TermTable::compact_arena() {
    std::vector<char> compact;
    try {
        compact.reserve(arena_.size() - n_unused_);
    } catch (const std::bad_alloc &) {
        return;
    }
    for (std::uint32_t place = 0; place < size_; ++place) {
        Key &key = terms_[place].key;
        if (!is_long(key)) continue;
        const char *begin = arena_.data() + (key.tail & ~tag_mask);
        key.tail = long_tag | compact.size();
        std::uint64_t length;
        std::memcpy(&length, begin, sizeof(length));
        compact.insert(compact.end(), begin, begin + sizeof(length) + length);
    }
    arena_ = std::move(compact);
    n_unused_ = 0;
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
        std::size_t at = home(slot);
        while (larger.data()[at].place != 0) at = (at + 1) & (larger.size() - 1);
        larger.data()[at] = slot;
    }
    slots_ = std::move(larger);
}

}  // namespace troenpy::text
