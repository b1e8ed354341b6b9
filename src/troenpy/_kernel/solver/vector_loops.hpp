// Part of ascent_loops.hpp: eight numbers at a time, and rows times coefficients with the classes side by
// side.

using Eight = cpu::Lanes<float, 8>;

// exp(x) to about seven digits; zero, nearly, below -87.
TROENPY_TARGET inline float exponential(float x) {
    x = x < -87.0f ? -87.0f : x > 88.0f ? 88.0f : x;
    constexpr float to_integer = 12582912.0f;  // 1.5 * 2**23: what is added to it is rounded
    const float shifted = x * 1.44269504f + to_integer, whole = shifted - to_integer;
    const float rest = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
    // Pairs of coefficients side by side, so that few steps wait for another.
    const float square = rest * rest;
    const float low = 5.0000001201e-1f + 1.6666665459e-1f * rest, middle = 4.1665795894e-2f + 8.3334519073e-3f * rest;
    const float high = 1.3981999507e-3f + 1.9875691500e-4f * rest;
    const float y = (low + square * (middle + square * high)) * square + (rest + 1.0f);
    const auto exponent = std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(to_integer) + 127;
    return y * std::bit_cast<float>(exponent << 23);
}

TROENPY_TARGET inline float sum(const float *x, std::size_t width) {
    Eight lanes = {};
    for (std::size_t k = 0; k < width; k += 8) {
        Eight more;
        std::memcpy(&more, x + k, sizeof more);
        lanes += more;
    }
    float s[8];
    std::memcpy(s, &lanes, sizeof s);
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

template <std::size_t n>
TROENPY_TARGET inline void load(const float *from, Eight *to) {
    for (std::size_t i = 0; i < n; ++i) std::memcpy(to + i, from + 8 * i, sizeof(Eight));
}

// sums += x * w
template <std::size_t n>
TROENPY_TARGET inline void take(float x, const float *w, Eight *sums) {
    for (std::size_t i = 0; i < n; ++i) {
        Eight lanes;
        std::memcpy(&lanes, w + 8 * i, sizeof lanes);
        sums[i] += x * lanes;
    }
}

// w += x * change
template <std::size_t n>
TROENPY_TARGET inline void give(float x, const Eight *change, float *w) {
    for (std::size_t i = 0; i < n; ++i) {
        Eight lanes;
        std::memcpy(&lanes, w + 8 * i, sizeof lanes);
        lanes += x * change[i];
        std::memcpy(w + 8 * i, &lanes, sizeof lanes);
    }
}

// Adds a row's sums of coefficients to 8 n of the decisions z; `coef` points to the first of their coefficients.
template <typename Value, std::size_t n>
TROENPY_TARGET void gather(const Rows<Value> &rows, const Document &document, std::size_t row, const float *coef,
                           std::size_t width, float *z) {
    Eight sums[n];
    load<n>(z, sums);
    const Cell<Value> *cells = rows.cells();
    for (std::size_t at = document.begin; at < document.end; ++at)
        take<n>(static_cast<float>(cells[at].value), coef + cells[at].column * width, sums);
    const Tail<Value> &tail = rows.tail();
    const float *rest = coef + rows.n_cell_columns() * width;
    const std::size_t first = tail.begin(row), last = tail.end(row);
    for (std::size_t at = first; at < last; ++at)
        take<n>(static_cast<float>(tail.values[at]), rest + tail.column(at, first) * width, sums);
    std::memcpy(z, sums, sizeof sums);
}

// Adds a row times 8 n changes of decisions to the coefficients.
template <typename Value, std::size_t n>
TROENPY_TARGET void scatter(const Rows<Value> &rows, const Document &document, std::size_t row, const float *z,
                            std::size_t width, float *coef) {
    Eight change[n];
    load<n>(z, change);
    const Cell<Value> *cells = rows.cells();
    for (std::size_t at = document.begin; at < document.end; ++at)
        give<n>(static_cast<float>(cells[at].value), change, coef + cells[at].column * width);
    const Tail<Value> &tail = rows.tail();
    float *rest = coef + rows.n_cell_columns() * width;
    const std::size_t first = tail.begin(row), last = tail.end(row);
    for (std::size_t at = first; at < last; ++at)
        give<n>(static_cast<float>(tail.values[at]), change, rest + tail.column(at, first) * width);
}

// The decisions of a row: intercept + scale * sums of coefficients.
template <typename Value>
TROENPY_TARGET void decide(const Visit<Value> &visit, std::size_t row, float *z) {
    const Rows<Value> &rows = *visit.rows;
    const Document &document = visit.documents[row];
    const std::size_t width = visit.width;
    std::fill_n(z, width, 0.0f);
    std::size_t k = 0;
    for (; k + 32 <= width; k += 32) gather<Value, 4>(rows, document, row, visit.coef + k, width, z + k);
    if (k + 16 <= width) gather<Value, 2>(rows, document, row, visit.coef + k, width, z + k), k += 16;
    if (k < width) gather<Value, 1>(rows, document, row, visit.coef + k, width, z + k);
    for (k = 0; k < width; ++k) z[k] = visit.intercept[k] + visit.scale * z[k];
}

// Moves coefficients by scale * row * change, and the total by the change.
template <typename Value>
TROENPY_TARGET void move(Visit<Value> &visit, std::size_t row, float *change) {
    const Rows<Value> &rows = *visit.rows;
    const Document &document = visit.documents[row];
    const std::size_t width = visit.width;
    float *coef = visit.coef;
    for (std::size_t k = 0; k < visit.n_decisions; ++k) visit.total[k] += change[k];
    for (std::size_t k = 0; k < width; ++k) change[k] *= visit.scale;
    std::size_t k = 0;
    for (; k + 32 <= width; k += 32) scatter<Value, 4>(rows, document, row, change + k, width, coef + k);
    if (k + 16 <= width) scatter<Value, 2>(rows, document, row, change + k, width, coef + k), k += 16;
    if (k < width) scatter<Value, 1>(rows, document, row, change + k, width, coef + k);
}
