// A hash table of terms, with the state that counting needs for each.
//
// A term has a key of 16 bytes. Texts of up to 15 bytes are stored in the key, so that no strings are compared; for
// longer ones the key is a hash and a position in an arena; for an n-gram of words it is the pair (its first n - 1
// words, its last word), both as term numbers. Terms are stored in order of first occurrence, so that frequent ones
// share few pages; an open-addressing hash table of small slots has their positions.

#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
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

// Masks for the bytes of a key, by length of the term.
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

// The text of a key of up to 15 bytes, followed by readable bytes.
inline std::string_view inline_text(const Key &key) {
    return {reinterpret_cast<const char *>(&key), static_cast<std::size_t>(key.tail >> tag_shift)};
}

inline Key pair_key(std::uint32_t first_words, std::uint32_t last_word) {
    return {static_cast<std::uint64_t>(first_words) << 32 | last_word, pair_tag};
}

// Random per process, like Python's hash, so that nobody can construct texts whose terms all collide.
struct Seed {
    std::uint64_t first, second;
};
const Seed &process_seed();

std::uint64_t hash_bytes(std::string_view text, const Seed &seed);

constexpr std::uint32_t no_term = 0xFFFFFFFF;  // the number of every stop word: they are not counted

struct alignas(32) Term {  // never crosses a cache line
    Key key;
    std::uint32_t n_documents;
    std::uint32_t last_document;  // documents count from 1: zero is "none yet"
    std::uint32_t last_entry;     // the entry of this term in the last document; in an index, its column
};
static_assert(sizeof(Term) == 32);

class TermTable {
public:
    TermTable();

    std::uint64_t hash(const Key &key) const {
        const std::uint64_t tail = is_long(key) ? long_tag : key.tail;
        return cpu::fold_product(key.head ^ seed_.first, tail ^ seed_.second);
    }
    TROENPY_ALWAYS_INLINE void prefetch(std::uint64_t hash) const { cpu::prefetch(&slots_.data()[hash >> shift_]); }

    // When the slot is in the cache: the likely position of the term. It may be wrong.
    std::uint32_t guess(std::uint64_t hash) const {
        const std::uint32_t place = slots_.data()[hash >> shift_].place;
        const std::uint32_t guess = place - (place != 0);
        cpu::prefetch_to_write(terms_.data() + guess);
        return guess;
    }

    // Makes room for n more terms, so that `find` need not check and terms do not move. Above a load of 0.7, probing
    // costs more than the cache misses of a larger table.
    void reserve(std::size_t n) {
        while (size_ + n > slots_.size() / 10 * 7) grow();
        terms_.reserve(size_ + n);
    }

    // The position of a term, which is added if it is new. Not for long terms.
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
    // Never equal to a key in the table, which has a position in the arena: texts must be compared.
    Key long_key(std::string_view text) const { return {hash_bytes(text, seed_), ~std::uint64_t{0}}; }

    // Adds a stop word. Call before any term is added.
    void exclude(std::string_view text);

    // The first 16 bytes must be readable, even if the text is shorter.
    Key key_of(std::string_view text) const {
        return text.size() > longest_inline ? long_key(text) : inline_key(text.data(), text.size());
    }

    // The position of a term, or no_term; does not add it. The text is only read if it is long.
    std::uint32_t place_of(std::string_view text, const Key &key, std::uint64_t hash) const {
        const std::uint32_t tag = tag_of(hash);
        for (std::size_t i = hash >> shift_;; i = (i + 1) & (slots_.size() - 1)) {
            const Slot &slot = slots_.data()[i];
            if (slot.place == 0) return no_term;
            if (slot.tag != tag) continue;
            const Key &found = terms_[slot.place - 1].key;
            const bool is_same =
                is_long(key) ? found.head == key.head && is_long(found) && long_text(found) == text : found == key;
            if (is_same) return slot.place - 1;
        }
    }

    // The number of a term, or no_term, as of every stop word.
    std::uint32_t look_up(std::string_view text, const Key &key, std::uint64_t hash) const {
        const std::uint32_t place = place_of(text, key, hash);
        return place == no_term || place < n_excluded_ ? no_term : place - n_excluded_;
    }

    // Numbers the documents that are counted, from 1 and in all batches.
    std::uint32_t next_document() {
        if (n_counted_ == no_term) throw std::overflow_error("more than 2**32 - 2 documents");
        return ++n_counted_;
    }

    // By position; they do not move until the next `reserve`. Stop words come first and have no numbers, so the
    // number of a term is its position minus the number of stop words.
    Term *terms() { return terms_.data(); }
    std::uint32_t n_excluded() const { return n_excluded_; }
    std::uint32_t n_terms() const { return size_ - n_excluded_; }
    const Term &term_at(std::uint32_t place) const { return terms_[place]; }
    const Key &key(std::uint32_t number) const { return terms_[n_excluded_ + number].key; }
    std::uint32_t n_documents(std::uint32_t number) const { return terms_[n_excluded_ + number].n_documents; }
    std::string_view long_text(const Key &key) const;
    // The text of a term that is not a pair.
    std::string_view text(std::uint32_t number) const {
        const Key &found = key(number);
        if (is_long(found)) return long_text(found);
        return {reinterpret_cast<const char *>(&found), found.tail >> tag_shift};
    }
    // The text of any term; `text` is overwritten.
    void spell(std::uint32_t number, std::string &text) const;

    // Puts a new term, which must not be a pair, in the place of another. If memory runs out, nothing has changed.
    void replace(std::uint32_t number, std::string_view text, const Key &key, std::uint64_t hash);

    // Frees all but the texts of long terms.
    void close() {
        slots_ = Zeros<Slot>();
        terms_ = Buffer<Term>();
    }

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
    std::size_t home(const Slot &slot) const { return slot.tag >> (shift_ - 32); }
    std::uint64_t store(std::string_view text);
    void compact_arena();
    void free_slot(std::uint32_t place);

    Zeros<Slot> slots_;
    unsigned shift_;
    Buffer<Term> terms_;
    std::uint32_t size_ = 0;
    std::uint32_t n_excluded_ = 0;
    std::uint32_t n_counted_ = 0;
    std::vector<char> arena_;
    std::uint64_t n_unused_ = 0;  // bytes of the arena, of terms that were replaced
    Seed seed_;
};

}  // namespace troenpy::text
