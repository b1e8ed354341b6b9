#include "text/characters.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>

namespace troenpy::text {

namespace {

std::atomic<const CharacterClass *> table{nullptr};

}  // namespace

void set_character_classes(const std::uint8_t *classes, std::size_t n) {
    if (n != n_code_points || std::any_of(classes, classes + n, [](std::uint8_t c) { return c >= n_classes; }))
        throw std::invalid_argument("every code point needs a class");
    auto copy = std::make_unique<CharacterClass[]>(n);
    std::transform(classes, classes + n, copy.get(), [](std::uint8_t c) { return static_cast<CharacterClass>(c); });
    const CharacterClass *none = nullptr;
    if (table.compare_exchange_strong(none, copy.get())) copy.release();  // never freed: any thread may read it
}

const CharacterClass *character_classes() {
    const CharacterClass *classes = table.load();
    if (classes == nullptr) throw std::invalid_argument("analyzer 'text' needs set_character_classes() first");
    return classes;
}

}  // namespace troenpy::text
