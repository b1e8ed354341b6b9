#include "text/arrow.hpp"

#include <cstring>
#include <stdexcept>
#include <string_view>

namespace troenpy::text {

namespace {

constexpr Text missing{nullptr, 0, Form::utf8};
constexpr char empty_text[] = "";

bool is_missing(const Text &text) { return text.data == nullptr; }

Text utf8(const char *data, std::int64_t length) {
    if (length < 0) throw std::invalid_argument("Arrow string data with a negative length");
    return {length == 0 ? empty_text : data, static_cast<std::uint64_t>(length), Form::utf8};
}

bool is_valid(const ArrowArray &array, std::int64_t i) {
    const auto *bits = array.n_buffers > 0 ? static_cast<const std::uint8_t *>(array.buffers[0]) : nullptr;
    return bits == nullptr || (bits[i >> 3] >> (i & 7) & 1);
}

template <typename T>
T element(const ArrowArray &array, std::int64_t buffer, std::int64_t i) {
    T value;
    std::memcpy(&value, static_cast<const char *>(array.buffers[buffer]) + i * static_cast<std::int64_t>(sizeof(T)),
                sizeof(T));
    return value;
}

template <typename Offset>
Text string_at(const ArrowArray &array, std::int64_t i) {
    const auto begin = element<Offset>(array, 1, i);
    const auto end = element<Offset>(array, 1, i + 1);
    return utf8(static_cast<const char *>(array.buffers[2]) + begin, end - begin);
}

// A view: the length, then either up to 12 bytes of text, or its first four bytes, a buffer and an offset.
Text view_at(const ArrowArray &array, std::int64_t i) {
    const auto *view = static_cast<const char *>(array.buffers[1]) + 16 * i;
    std::int32_t length, buffer, offset;
    std::memcpy(&length, view, 4);
    if (length <= 12) return utf8(view + 4, length);
    std::memcpy(&buffer, view + 8, 4);
    std::memcpy(&offset, view + 12, 4);
    if (buffer < 0 || 2 + static_cast<std::int64_t>(buffer) >= array.n_buffers) {
        throw std::invalid_argument("Arrow string view into a buffer that is not there");
    }
    return utf8(static_cast<const char *>(array.buffers[2 + buffer]) + offset, length);
}

using Reader = Text (*)(const ArrowArray &, std::int64_t);

Reader string_reader(std::string_view format) {
    if (format == "u") return string_at<std::int32_t>;
    if (format == "U") return string_at<std::int64_t>;
    if (format == "vu") return view_at;
    if (format == "n") return [](const ArrowArray &, std::int64_t) { return missing; };
    if (format == "+s") {
        throw std::invalid_argument(
            "documents must be one column of text, got a table: pass the column, e.g. table['text']");
    }
    throw std::invalid_argument("documents must be text, got Arrow data of format '" + std::string(format) +
                                "': cast the column to string first");
}

std::int64_t index_at(const ArrowArray &array, char format, std::int64_t i) {
    switch (format) {
        case 'c':
            return element<std::int8_t>(array, 1, i);
        case 'C':
            return element<std::uint8_t>(array, 1, i);
        case 's':
            return element<std::int16_t>(array, 1, i);
        case 'S':
            return element<std::uint16_t>(array, 1, i);
        case 'i':
            return element<std::int32_t>(array, 1, i);
        case 'I':
            return element<std::uint32_t>(array, 1, i);
        case 'l':
            return element<std::int64_t>(array, 1, i);
        case 'L':
            return static_cast<std::int64_t>(element<std::uint64_t>(array, 1, i));
        default:
            throw std::invalid_argument("Arrow dictionary indices of unknown format");
    }
}

std::vector<Text> strings(std::string_view format, const ArrowArray &array) {
    const Reader read = string_reader(format);
    std::vector<Text> texts;
    texts.reserve(static_cast<std::size_t>(array.length));
    for (std::int64_t i = array.offset; i < array.offset + array.length; ++i) {
        texts.push_back(is_valid(array, i) ? read(array, i) : missing);
    }
    return texts;
}

std::vector<Text> by_dictionary(const ArrowSchema &schema, const ArrowArray &array) {
    if (array.dictionary == nullptr) throw std::invalid_argument("Arrow dictionary data without a dictionary");
    const std::vector<Text> values = strings(schema.dictionary->format, *array.dictionary);
    std::vector<Text> texts;
    texts.reserve(static_cast<std::size_t>(array.length));
    for (std::int64_t i = array.offset; i < array.offset + array.length; ++i) {
        if (!is_valid(array, i)) {
            texts.push_back(missing);
            continue;
        }
        const auto index = static_cast<std::uint64_t>(index_at(array, schema.format[0], i));
        if (index >= values.size()) throw std::invalid_argument("Arrow dictionary index outside the dictionary");
        texts.push_back(values[index]);
    }
    return texts;
}

}  // namespace

ArrowTexts::ArrowTexts(ArrowArrayStream &source) {
    Released<ArrowArrayStream> stream(source);
    const auto fail = [&] {
        const char *reason = stream->get_last_error(stream.get());
        throw std::runtime_error(std::string("Arrow stream: ") + (reason ? reason : "unknown error"));
    };
    Released<ArrowSchema> schema;
    if (stream->get_schema(stream.get(), schema.get()) != 0) fail();
    if (schema->dictionary == nullptr) string_reader(schema->format);  // check the type even if the stream is empty
    for (;;) {
        Released<ArrowArray> array;
        if (stream->get_next(stream.get(), array.get()) != 0) fail();
        if (array->release == nullptr) return;
        read(*schema, *array);
        arrays_.push_back(std::move(array));
    }
}

ArrowTexts::ArrowTexts(ArrowSchema &schema_source, ArrowArray &array_source) {
    const Released<ArrowSchema> schema(schema_source);
    arrays_.emplace_back(array_source);
    read(*schema, *arrays_.back());
}

void ArrowTexts::read(const ArrowSchema &schema, const ArrowArray &array) {
    const std::vector<Text> texts = schema.dictionary ? by_dictionary(schema, array) : strings(schema.format, array);
    for (std::size_t i = 0; i < texts.size() && first_missing_ < 0; ++i) {
        if (is_missing(texts[i])) first_missing_ = static_cast<std::int64_t>(texts_.size() + i);
    }
    texts_.insert(texts_.end(), texts.begin(), texts.end());
}

}  // namespace troenpy::text
