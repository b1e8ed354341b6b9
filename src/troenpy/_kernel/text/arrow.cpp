#include "text/arrow.hpp"

#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

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
    if (format == "u" || format == "z") return string_at<std::int32_t>;
    if (format == "U" || format == "Z") return string_at<std::int64_t>;
    if (format == "vu" || format == "vz") return view_at;
    if (format == "n") return [](const ArrowArray &, std::int64_t) { return missing; };
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

bool is_table_format(std::string_view format) { return format == "+s"; }

// The schema of the documents: of the only column of a table, else of the data themselves.
const ArrowSchema &column_schema(const ArrowSchema &schema) {
    if (!is_table_format(schema.format)) return schema;
    if (schema.n_children != 1) throw std::invalid_argument("documents must be one column of text, got several");
    return *schema.children[0];
}

std::string_view text_format(const ArrowSchema &schema) {
    return schema.dictionary ? schema.dictionary->format : schema.format;
}

std::vector<Text> read_column(const ArrowSchema &schema, const ArrowArray &array) {
    if (!is_table_format(schema.format)) {
        return schema.dictionary ? by_dictionary(schema, array) : strings(schema.format, array);
    }
    if (array.n_children != 1) throw std::invalid_argument("Arrow table whose columns are not those of its schema");
    ArrowArray column = *array.children[0];  // a view that owns nothing: the rows of the table are a part of its column
    if (array.offset < 0 || array.length < 0 || array.offset + array.length > column.length) {
        throw std::invalid_argument("Arrow table with more rows than its column");
    }
    column.offset += array.offset;
    column.length = array.length;
    std::vector<Text> texts = read_column(column_schema(schema), column);
    for (std::int64_t i = 0; i < array.length; ++i) {
        if (!is_valid(array, array.offset + i)) texts[static_cast<std::size_t>(i)] = missing;
    }
    return texts;
}

}  // namespace

void ArrowTexts::add(const ArrowSchema &schema, Released<ArrowArray> array) {
    const std::vector<Text> texts = read_column(schema, *array);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        n_bytes_ += texts[i].length + 1;
        if (!is_missing(texts[i])) continue;
        ++n_missing_;
        if (first_missing_.size() < n_named) first_missing_.push_back(static_cast<std::int64_t>(texts_.size() + i));
    }
    texts_.insert(texts_.end(), texts.begin(), texts.end());
    arrays_.push_back(std::move(array));
}

void ArrowTexts::fill_missing() {
    for (Text &text : texts_) {
        if (is_missing(text)) text = utf8(empty_text, 0);
    }
    n_missing_ = 0;
    first_missing_.clear();
}

namespace {

void check(int status, ArrowArrayStream *stream) {
    if (status == 0) return;
    const char *reason = stream->get_last_error(stream);
    std::string line = reason ? reason : "unknown error";
    for (const char *rest : {"\n", " Detail: Python exception:"}) line = line.substr(0, line.find(rest));
    throw std::runtime_error("Arrow stream: " + line);
}

}  // namespace

ArrowSource::ArrowSource(ArrowArrayStream &stream) : stream_(stream) {
    check(stream_->get_schema(stream_.get(), schema_.get()), stream_.get());
}

ArrowSource::ArrowSource(ArrowSchema &schema, ArrowArray &array) : schema_(schema), array_(array) {}

bool ArrowSource::is_table() const { return is_table_format(schema_->format); }

std::vector<std::string> ArrowSource::columns() const {
    std::vector<std::string> names;
    for (std::int64_t i = 0; i < schema_->n_children; ++i) {
        const char *name = schema_->children[i]->name;
        names.emplace_back(name ? name : "");
    }
    return names;
}

std::unique_ptr<ArrowTexts> ArrowSource::read(std::uint64_t n_bytes) {
    const std::string_view format = text_format(column_schema(*schema_));
    string_reader(format);  // checks the type even if there is no data
    auto texts = std::make_unique<ArrowTexts>(format.back() == 'z' || format.back() == 'Z');
    bool is_first = !has_read_, is_at_end = false;
    has_read_ = true;
    while (!is_at_end && texts->n_bytes() < n_bytes) {
        Released<ArrowArray> array = next();
        is_at_end = array->release == nullptr;
        if (!is_at_end) texts->add(*schema_, std::move(array));
    }
    return is_at_end && texts->texts().empty() && !is_first ? nullptr : std::move(texts);
}

// An array that holds nothing is the end.
Released<ArrowArray> ArrowSource::next() {
    if (stream_->release == nullptr) return std::move(array_);
    Released<ArrowArray> array;
    check(stream_->get_next(stream_.get(), array.get()), stream_.get());
    return array;
}

}  // namespace troenpy::text
