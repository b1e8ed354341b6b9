// The inner loops of gram.cpp, which includes this file once per instruction set, with TROENPY_TARGET defined as the
// attribute that selects it, and with its own `add_product`.

// Adds the products of `factors` and the lanes at `row` to `sums`, one sum per block.
template <std::size_t n_blocks, typename Lanes, typename T>
TROENPY_TARGET TROENPY_ALWAYS_INLINE void gather(Lanes (&sums)[n_blocks], const T *factors, const T *row) {
    Lanes lanes;
    std::memcpy(&lanes, row, sizeof lanes);
    for (std::size_t b = 0; b < n_blocks; ++b) add_product(sums[b], factors[b], lanes);
}

// Adds the products of `factors` and the sums of the blocks to the lanes at `row`.
template <std::size_t n_blocks, typename Lanes, typename T>
TROENPY_TARGET TROENPY_ALWAYS_INLINE void spread(const Lanes (&sums)[n_blocks], const T *factors, T *row) {
    Lanes lanes;
    std::memcpy(&lanes, row, sizeof lanes);
    for (std::size_t b = 0; b < n_blocks; ++b) add_product(lanes, factors[b], sums[b]);
    std::memcpy(row, &lanes, sizeof lanes);
}

// Adds to `to` the product of the Gram matrix of the terms [first, last), in `n_blocks` blocks, and `from`. Handles
// `n_columns` columns, a multiple of four, of rows with stride `width`.
template <typename T, std::size_t n_blocks, std::size_t n_columns>
TROENPY_TARGET void sweep(const Terms<T> &terms, std::size_t first, std::size_t last, const T *from, T *to,
                          std::size_t width) {
    constexpr std::size_t n_lanes = 32 / sizeof(T), n_wide = n_columns / n_lanes;
    constexpr bool has_rest = n_columns % n_lanes != 0;  // four floats
    for (std::size_t term = first; term < last; ++term) {
        const std::size_t begin = terms.starts[term], end = terms.starts[term + 1];
        cpu::Lanes<T, n_lanes> sums[n_wide + 1][n_blocks] = {};
        cpu::Lanes<T, 4> rest_sums[n_blocks] = {};
        for (std::size_t at = begin; at < end; ++at) {
            const T *row = from + terms.rows[at] * width;
            const T *x = terms.values + at * terms.stride;
            for (std::size_t i = 0; i < n_wide; ++i) gather<n_blocks>(sums[i], x, row + n_lanes * i);
            if constexpr (has_rest) gather<n_blocks>(rest_sums, x, row + n_lanes * n_wide);
        }
        for (std::size_t at = begin; at < end; ++at) {
            T *row = to + terms.rows[at] * width;
            const T *x = terms.values + at * terms.stride;
            for (std::size_t i = 0; i < n_wide; ++i) spread<n_blocks>(sums[i], x, row + n_lanes * i);
            if constexpr (has_rest) spread<n_blocks>(rest_sums, x, row + n_lanes * n_wide);
        }
    }
}

// The same for one column.
template <typename T, std::size_t n_blocks>
TROENPY_TARGET void sweep_one(const Terms<T> &terms, std::size_t first, std::size_t last, const T *from, T *to,
                              std::size_t) {
    for (std::size_t term = first; term < last; ++term) {
        const std::size_t begin = terms.starts[term], end = terms.starts[term + 1];
        T sums[n_blocks] = {};
        for (std::size_t at = begin; at < end; ++at) {
            const T *x = terms.values + at * terms.stride;
            for (std::size_t b = 0; b < n_blocks; ++b) add_product(sums[b], x[b], from[terms.rows[at]]);
        }
        for (std::size_t at = begin; at < end; ++at) {
            const T *x = terms.values + at * terms.stride;
            T sum = 0;
            for (std::size_t b = 0; b < n_blocks; ++b) add_product(sum, x[b], sums[b]);
            to[terms.rows[at]] += sum;
        }
    }
}

template <typename T, std::size_t n_blocks>
Sweep<T> for_width(std::size_t width) {
    switch (width) {
        case 1:
            return sweep_one<T, n_blocks>;
        case 4:
            return sweep<T, n_blocks, 4>;
        case 8:
            return sweep<T, n_blocks, 8>;
        case 12:
            return sweep<T, n_blocks, 12>;
        case 16:
            return sweep<T, n_blocks, 16>;
        case 20:
            return sweep<T, n_blocks, 20>;
        default:
            return sweep<T, n_blocks, 24>;
    }
}

template <typename T>
Sweep<T> choose(std::size_t n_blocks, std::size_t width) {
    switch (n_blocks) {
        case 1:
            return for_width<T, 1>(width);
        case 2:
            return for_width<T, 2>(width);
        case 3:
            return for_width<T, 3>(width);
        default:
            return for_width<T, 4>(width);
    }
}
