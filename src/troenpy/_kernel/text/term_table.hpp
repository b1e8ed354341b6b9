// Terms, and what the counting of one document needs to know about each.
//
// A term is known by a key of 16 bytes. Up to 15 bytes of text are the key themselves, so that no string is
// ever compared; longer ones are a hash and a place in an arena; an n-gram of words is the pair (its first n
// - 1 words, its last word), both as term numbers. Terms stand one after the other in the order in which they
// came, so that the frequent ones share few pages; an open-addressing hash table of small slots says where.

#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "cpu.hpp"
#include "storage.hpp"

namespace troenpy::text {

struct Key {
    std::uint64_t head;  // bytes 0 to 7 | hash of a long term | pair of term numbers
    std::uint64_t tail;  // bytes 8 to 14 | place in the arena | nothing; its last byte is the tag

    bool operator==(const Key &) const = default;
};

constexpr std::size_t longest_inline = 15;
constexpr unsigned tag_shift = 56;
constexpr std::uint64_t pair_tag = std::uint64_t{0xFE} << tag_shift;
constexpr std::uint64_t long_tag = std::uint64_t{0xFF} << tag_shift;
constexpr std::uint64_t tag_mask = std::uint64_t{0xFF} << tag_shift;

// For inline terms the tag is the length.
inline std::uint64_t tag(const Key &key) { return key.tail & tag_mask; }
inline bool is_long(const Key &key) { return tag(key) == long_tag; }
inline bool is_pair(const Key &key) { return tag(key) == pair_tag; }

constexpr std::uint64_t low_bytes(std::size_t n) {
    return n >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * n) - 1;
}

// The bytes of a key that belong to a term of each length.
constexpr auto inline_masks = [] {
    std::array<Key, longest_inline + 1> masks{};
    for (std::size_t length = 0; length < masks.size(); ++length)
        masks[length] = {low_bytes(length), length > 8 ? low_bytes(length - 8) : 0};
    return masks;
}();

// Reads 16 bytes from `text`, of which `length` belong to the term.
inline Key inline_key(const char *text, std::size_t length) {
    Key key;
    std::memcpy(&key, text, sizeof(key));
    key.head &= inline_masks[length].head;
    key.tail &= inline_masks[length].tail;
    key.tail |= static_cast<std::uint64_t>(length) << tag_shift;
    return key;
}

inline Key pair_key(std::uint32_t first_words, std::uint32_t last_word) {
    return {static_cast<std::uint64_t>(first_words) << 32 | last_word, pair_tag};
}

// Random per process, as Python's own hash: nobody can prepare texts whose terms all collide.
struct Seed {
    std::uint64_t first, second;
};
const Seed &process_seed();

std::uint64_t hash_bytes(std::string_view text, const Seed &seed);

constexpr std::uint32_t no_term = 0xFFFFFFFF;  // the number of stop words: they take no part

struct alignas(32) Term {  // never crosses a cache line
    Key key;
    std::uint32_t n_documents;
    std::uint32_t last_document;  // documents count from 1: zero is "none yet"
    std::uint32_t last_entry;     // where the last document counts this term
};
static_assert(sizeof(Term) == 32);

class TermTable {
public:
    TermTable();

    std::uint64_t hash(const Key &key) const {
        const std::uint64_t tail = is_long(key) ? long_tag : key.tail;
        return cpu::fold_product(key.head ^ seed_.first, tail ^ seed_.second);
    }
    void prefetch(std::uint64_t hash) const { cpu::prefetch(&slots_.data()[hash >> shift_]); }

    // Once the slot is here: the place of the term that it most likely leads to, some other if it does not.
    std::uint32_t guess(std::uint64_t hash) const {
        const std::uint32_t place = slots_.data()[hash >> shift_].place;
        const std::uint32_t guess = place - (place != 0);
        cpu::prefetch_to_write(terms_.data() + guess);
        return guess;
    }

    // Room for n more terms, so that `find` need not look and terms stay where they are. 0.7 is the load from
    // which probing costs more than the memory that a larger table would touch.
    void reserve(std::size_t n) {
        while (size_ + n > slots_.size() / 10 * 7) grow();
        terms_.reserve(size_ + n);
    }

    // The place of a term, which is added if it is new. Not for long terms.
    std::uint32_t find(const Key &key, std::uint64_t hash) {
        const std::uint32_t tag = tag_of(hash);
        for (std::size_t i = hash >> shift_;; i = (i + 1) & (slots_.size() - 1)) {
            Slot &slot = slots_.data()[i];
            if (slot.tag == tag && terms_[slot.place - 1].key == key) return slot.place - 1;
            if (slot.place == 0) return add(slot, tag, key);
        }
    }
    // Not inline: long terms are rare.
    std::uint32_t find_long(std::string_view text, const Key &key, std::uint64_t hash);
    // Equal to no key of the table, which has a place in the arena: texts must be compared.
    Key long_key(std::string_view text) const { return {hash_bytes(text, seed_), ~std::uint64_t{0}}; }

    // Makes a text a stop word. To be called before any term is added.
    void exclude(std::string_view text);

    // 16 bytes from its beginning must be readable.
    Key key_of(std::string_view text) const {
        return text.size() > longest_inline ? long_key(text) : inline_key(text.data(), text.size());
    }

    // The number of a term, or no_term; nothing is added. The text is looked at only if it is long.
    std::uint32_t look_up(std::string_view text, const Key &key, std::uint64_t hash) const {
        const std::uint32_t tag = tag_of(hash);
        for (std::size_t i = hash >> shift_;; i = (i + 1) & (slots_.size() - 1)) {
            const Slot &slot = slots_.data()[i];
            if (slot.place == 0) return no_term;
            if (slot.tag != tag) continue;
            const Key &found = terms_[slot.place - 1].key;
            const bool is_same =
                is_long(key) ? found.head == key.head && is_long(found) && long_text(found) == text : found == key;
            if (is_same) return slot.place > n_excluded_ ? slot.place - 1 - n_excluded_ : no_term;
        }
    }

    // By place; they stay until the next `reserve`. Stop words come first and have no numbers: that of
    // another is its place, less those.
    Term *terms() { return terms_.data(); }
    std::uint32_t n_excluded() const { return n_excluded_; }
    std::uint32_t n_terms() const { return size_ - n_excluded_; }
    const Key &key(std::uint32_t number) const { return terms_[n_excluded_ + number].key; }
    std::uint32_t n_documents(std::uint32_t number) const { return terms_[n_excluded_ + number].n_documents; }
    std::string_view long_text(const Key &key) const;

    // Gives up the slots: terms can only be read from now on.
    void close() { slots_ = Zeros<Slot>(); }
    // Gives up the terms too: what is left are the texts of long ones.
    void drop_terms() { terms_ = Buffer<Term>(); }

private:
    struct Slot {
        std::uint32_t tag;    // the upper half of the hash; never zero
        std::uint32_t place;  // of the term, counted from 1: zero is an empty slot
    };

    static std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32) | 1; }

    std::uint32_t add(Slot &slot, std::uint32_t tag, const Key &key) {
        terms_[size_] = {key, 0, 0, 0};
        slot = {tag, ++size_};
        return size_ - 1;
    }
    void grow();

    Zeros<Slot> slots_;
    unsigned shift_;
    Buffer<Term> terms_;
    std::uint32_t size_ = 0;
    std::uint32_t n_excluded_ = 0;
    std::vector<char> arena_;
    Seed seed_;
};

}  // namespace troenpy::text
