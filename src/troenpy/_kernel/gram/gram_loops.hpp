// The inner loops of gram.cpp, which includes this file once for each instruction set, with TROENPY_TARGET
// set to the attribute that chooses it. (Always-inline functions would not do: compilers split wide vectors
// before they inline.)

template <typename T, std::size_t n>
struct Wide {
#if defined(__GNUC__)
    typedef T type __attribute__((vector_size(n * sizeof(T))));
#else
    struct type {
        T lanes[n];
        type &operator+=(const type &other) {
            for (std::size_t i = 0; i < n; ++i) lanes[i] += other.lanes[i];
            return *this;
        }
        friend type operator*(T factor, type lanes) {
            for (std::size_t i = 0; i < n; ++i) lanes.lanes[i] *= factor;
            return lanes;
        }
    };
#endif
};

// Adds to `to` the product of `from` with the Gram matrix of `n_blocks` blocks of the terms [first, last),
// for eights * 8 + fours * 4 columns of rows that are `width` apart.
template <typename T, std::size_t n_blocks, std::size_t eights, std::size_t fours>
TROENPY_TARGET void sweep(const Terms<T> &terms, std::size_t first, std::size_t last, const T *from, T *to,
                          std::size_t width) {
    using Eight = typename Wide<T, 8>::type;
    using Four = typename Wide<T, 4>::type;
    for (std::size_t term = first; term < last; ++term) {
        const std::size_t begin = terms.starts[term], end = terms.starts[term + 1];
        Eight eight_sums[n_blocks][eights + 1] = {};
        Four four_sums[n_blocks] = {};
        for (std::size_t at = begin; at < end; ++at) {
            const T *row = from + terms.rows[at] * width;
            const T *x = terms.values + at * terms.stride;
            for (std::size_t i = 0; i < eights; ++i) {
                Eight lanes;
                std::memcpy(&lanes, row + 8 * i, sizeof lanes);
                for (std::size_t b = 0; b < n_blocks; ++b) eight_sums[b][i] += x[b] * lanes;
            }
            if (fours != 0) {
                Four lanes;
                std::memcpy(&lanes, row + 8 * eights, sizeof lanes);
                for (std::size_t b = 0; b < n_blocks; ++b) four_sums[b] += x[b] * lanes;
            }
        }
        for (std::size_t at = begin; at < end; ++at) {
            T *row = to + terms.rows[at] * width;
            const T *x = terms.values + at * terms.stride;
            for (std::size_t i = 0; i < eights; ++i) {
                Eight lanes;
                std::memcpy(&lanes, row + 8 * i, sizeof lanes);
                for (std::size_t b = 0; b < n_blocks; ++b) lanes += x[b] * eight_sums[b][i];
                std::memcpy(row + 8 * i, &lanes, sizeof lanes);
            }
            if (fours != 0) {
                Four lanes;
                std::memcpy(&lanes, row + 8 * eights, sizeof lanes);
                for (std::size_t b = 0; b < n_blocks; ++b) lanes += x[b] * four_sums[b];
                std::memcpy(row + 8 * eights, &lanes, sizeof lanes);
            }
        }
    }
}

// The same for one column.
template <typename T, std::size_t n_blocks>
TROENPY_TARGET void sweep_one(const Terms<T> &terms, std::size_t first, std::size_t last, const T *from,
                              T *to, std::size_t) {
    for (std::size_t term = first; term < last; ++term) {
        const std::size_t begin = terms.starts[term], end = terms.starts[term + 1];
        T sums[n_blocks] = {};
        for (std::size_t at = begin; at < end; ++at) {
            const T *x = terms.values + at * terms.stride;
            for (std::size_t b = 0; b < n_blocks; ++b) sums[b] += x[b] * from[terms.rows[at]];
        }
        for (std::size_t at = begin; at < end; ++at) {
            const T *x = terms.values + at * terms.stride;
            T sum = 0;
            for (std::size_t b = 0; b < n_blocks; ++b) sum += x[b] * sums[b];
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
            return sweep<T, n_blocks, 0, 1>;
        case 8:
            return sweep<T, n_blocks, 1, 0>;
        case 12:
            return sweep<T, n_blocks, 1, 1>;
        case 16:
            return sweep<T, n_blocks, 2, 0>;
        case 20:
            return sweep<T, n_blocks, 2, 1>;
        default:
            return sweep<T, n_blocks, 3, 0>;
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
