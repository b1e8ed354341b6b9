// The inner loops of ascent.cpp, which includes this file once for each instruction set, with TROENPY_TARGET set to
// the attribute that chooses it. Sums are taken eight at a time in one order, so every set gives the same numbers.

#if defined(__GNUC__)
typedef float Eight __attribute__((vector_size(32)));
#else
struct Eight {
    float lanes[8];
    Eight &operator+=(const Eight &other) {
        for (int i = 0; i < 8; ++i) lanes[i] += other.lanes[i];
        return *this;
    }
    friend Eight operator*(float factor, Eight eight) {
        for (int i = 0; i < 8; ++i) eight.lanes[i] *= factor;
        return eight;
    }
};
#endif

// exp(x) to about seven digits; zero, nearly, below -87.
TROENPY_TARGET inline float exponential(float x) {
    x = x < -87.0f ? -87.0f : x > 88.0f ? 88.0f : x;
    constexpr float to_integer = 12582912.0f;  // 1.5 * 2**23: what is added to it is rounded
    const float shifted = x * 1.44269504f + to_integer, whole = shifted - to_integer;
    const float rest = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
    float y = 1.9875691500e-4f;
    y = y * rest + 1.3981999507e-3f;
    y = y * rest + 8.3334519073e-3f;
    y = y * rest + 4.1665795894e-2f;
    y = y * rest + 1.6666665459e-1f;
    y = y * rest + 5.0000001201e-1f;
    y = y * rest * rest + rest + 1.0f;
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

// Adds a row's sums of coefficients to 8 n of the decisions z, of which `coef` is where the coefficients begin.
template <typename Value, std::size_t n>
TROENPY_TARGET void gather(const Rows<Value> &rows, const Document &document, std::size_t row, const float *coef,
                           std::size_t width, float *z) {
    Eight sums[n];
    load<n>(z, sums);
    const std::size_t n_blocks = rows.n_blocks();
    for (std::size_t at = document.begin; at < document.end; ++at) {
        const float *w = coef + rows.terms()[at] * n_blocks * width;
        const Value *x = rows.values() + at * n_blocks;
        for (std::size_t b = 0; b < n_blocks; ++b, w += width) take<n>(static_cast<float>(x[b]), w, sums);
    }
    const Tail<Value> &tail = rows.tail();
    const float *rest = coef + rows.n_terms() * n_blocks * width;
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
    const std::size_t n_blocks = rows.n_blocks();
    for (std::size_t at = document.begin; at < document.end; ++at) {
        float *w = coef + rows.terms()[at] * n_blocks * width;
        const Value *x = rows.values() + at * n_blocks;
        for (std::size_t b = 0; b < n_blocks; ++b, w += width) give<n>(static_cast<float>(x[b]), change, w);
    }
    const Tail<Value> &tail = rows.tail();
    float *rest = coef + rows.n_terms() * n_blocks * width;
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

// Divides p by its sum; logs are those of p.
TROENPY_TARGET inline void normalise(float *logs, float *p, std::size_t width) {
    const float whole = sum(p, width), log_whole = std::log(whole), factor = 1 / whole;
    for (std::size_t k = 0; k < width; ++k) {
        logs[k] -= log_whole;
        p[k] *= factor;
    }
}

// Newton steps towards log p + a p = z + a before - constant, from any p that sums to about one.
TROENPY_TARGET inline void approach(const float *z, const float *before, float a, std::size_t width, float *logs,
                                    float *p, float *room) {
    float *slope = room, *part = room + width;
    const float safe = -std::log(a);  // up to here, a p bends little
    for (int step = 0; step < max_steps; ++step) {
        for (std::size_t k = 0; k < width; ++k) {
            slope[k] = 1 / (1 + a * p[k]);
            part[k] = p[k] * slope[k];
        }
        const float whole = sum(part, width), excess = sum(p, width) - 1;
        for (std::size_t k = 0; k < width; ++k) part[k] *= z[k] + a * (before[k] - p[k]) - logs[k];
        const float constant = (sum(part, width) + excess) / whole;
        for (std::size_t k = 0; k < width; ++k) {
            const float change = (z[k] + a * (before[k] - p[k]) - logs[k] - constant) * slope[k];
            const float highest = std::max(logs[k] + 1, safe);
            part[k] = p[k] * change * change;
            logs[k] = std::min(logs[k] + change, highest);
            p[k] = exponential(logs[k]);
        }
        if (sum(part, width) < small_step) break;
    }
    normalise(logs, p, width);
}

// Where a row begins: between the truth, which is `before`, and what the coefficients say.
TROENPY_TARGET inline void begin(const float *z, std::size_t code, float a, std::size_t width, float *logs,
                                 float *before, float *p) {
    const float top = *std::max_element(z, z + width);
    for (std::size_t k = 0; k < width; ++k) {
        before[k] = 0;
        logs[k] = z[k] - top;
        p[k] = exponential(logs[k]);
    }
    before[code] = 1;
    normalise(logs, p, width);
    const float share = 1 / (1 + a), log_share = std::log(share);
    for (std::size_t k = 0; k < width; ++k) {
        logs[k] += log_share;
        p[k] *= share;
    }
    p[code] += a * share;
    logs[code] = std::log(p[code]);
}

// How far p is from what the decisions say: about twice the divergence. Infinite if a class that p all but rules out is
// likely by now, as the formula does not see it.
TROENPY_TARGET inline float distance(const float *z, const float *logs, const float *p, std::size_t width, float *part) {
    for (std::size_t k = 0; k < width; ++k) part[k] = p[k] * (z[k] - logs[k]);
    const float mean = sum(part, width);
    float likely = -100;
    for (std::size_t k = 0; k < width; ++k) {
        const float off = z[k] - logs[k] - mean, said = off > 1 ? logs[k] + off : -100.0f;
        part[k] = p[k] * off * off;
        likely = likely > said ? likely : said;
    }
    return likely > unlikely ? infinite : sum(part, width);
}

// One visit of a row with several decisions.
template <typename Value>
TROENPY_TARGET void climb_softmax(Visit<Value> &visit, std::size_t row) {
    const std::size_t width = visit.width;
    float *z = visit.room, *before = z + width, *p = before + width, *room = p + width;
    float *logs = visit.logs + row * width;
    const float a = visit.documents[row].bend, weight = visit.documents[row].weight;
    decide(visit, row, z);
    if (visit.is_first) {
        begin(z, visit.documents[row].code, a, width, logs, before, p);
    } else {
        for (std::size_t k = 0; k < width; ++k) p[k] = before[k] = exponential(logs[k]);
        const float gain = weight * distance(z, logs, p, width, room);
        visit.gap += gain < infinite ? gain / 2 : 0;
        if (gain < visit.least) return;
    }
    approach(z, before, a, width, logs, p, room);
    for (std::size_t k = 0; k < width; ++k) room[k] = weight * (before[k] - p[k]);
    move(visit, row, room);
    for (std::size_t k = 0; k < visit.n_decisions; ++k)
        visit.intercept[k] = static_cast<float>(visit.centre[k] + visit.sigma * visit.total[k]);
}

// Adds up how far a row with several decisions is from the optimum.
template <typename Value>
TROENPY_TARGET void check_softmax(const Visit<Value> &visit, std::size_t row, Distance &out) {
    const std::size_t width = visit.width;
    float *z = visit.room, *p = z + width, *part = p + width;
    const float weight = visit.documents[row].weight, *logs = visit.logs + row * width;
    const std::size_t code = visit.documents[row].code;
    decide(visit, row, z);
    const auto likely = static_cast<std::size_t>(std::max_element(z, z + width) - z);
    const float top = z[likely], own = z[code], shift = top - logs[likely];
    for (std::size_t k = 0; k < width; ++k) p[k] = exponential(z[k] - top);
    const float whole = sum(p, width), factor = 1 / whole;
    for (std::size_t k = 0; k < width; ++k) {
        p[k] *= factor;
        // The likely class counts nothing: where p is nearly one, its differences are rounding.
        part[k] = (p[k] - exponential(logs[k])) * (z[k] - logs[k] - shift);
    }
    out.gap += weight * sum(part, width);
    out.loss += weight * (std::log(whole) + top - own);
    for (std::size_t k = 0; k < visit.n_decisions; ++k) {
        out.slope[k] += weight * p[k];
        out.bend[k] += weight * p[k] * (1 - p[k]);
    }
    out.slope[code] -= weight;
}

// The sum of values times coefficients. Four sums at a time: each waits for the one before.
template <typename Value>
TROENPY_TARGET inline float dot(const Value *x, const std::uint32_t *terms, std::size_t n, std::size_t n_blocks,
                                const float *coef) {
    float sums[4] = {};
    std::size_t at = 0;
    if (n_blocks == 1) {
        for (; at + 4 <= n; at += 4)
            for (std::size_t i = 0; i < 4; ++i) sums[i] += static_cast<float>(x[at + i]) * coef[terms[at + i]];
        for (; at < n; ++at) sums[0] += static_cast<float>(x[at]) * coef[terms[at]];
    } else {
        for (; at < n; ++at) {
            const float *w = coef + terms[at] * n_blocks;
            for (std::size_t b = 0; b < n_blocks; ++b)
                sums[(2 * at + b) % 4] += static_cast<float>(x[at * n_blocks + b]) * w[b];
        }
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <typename Value>
TROENPY_TARGET float decide_one(const Visit<Value> &visit, std::size_t row) {
    const Rows<Value> &rows = *visit.rows;
    const Document &document = visit.documents[row];
    const std::size_t n_blocks = rows.n_blocks();
    float z = dot(rows.values() + document.begin * n_blocks, rows.terms() + document.begin,
                  document.end - document.begin, n_blocks, visit.coef);
    const Tail<Value> &tail = rows.tail();
    const float *rest = visit.coef + rows.n_terms() * n_blocks;
    const std::size_t first = tail.begin(row), last = tail.end(row);
    for (std::size_t at = first; at < last; ++at)
        z += static_cast<float>(tail.values[at]) * rest[tail.column(at, first)];
    return visit.intercept[0] + visit.scale * z;
}

template <typename Value>
TROENPY_TARGET void move_one(Visit<Value> &visit, std::size_t row, float change) {
    const Document &document = visit.documents[row];
    float *coef = visit.coef;
    const Rows<Value> &rows = *visit.rows;
    const std::size_t n_blocks = rows.n_blocks();
    visit.total[0] += change;
    change *= visit.scale;
    for (std::size_t at = document.begin; at < document.end; ++at) {
        float *w = coef + rows.terms()[at] * n_blocks;
        const Value *x = rows.values() + at * n_blocks;
        for (std::size_t b = 0; b < n_blocks; ++b) w[b] += static_cast<float>(x[b]) * change;
    }
    const Tail<Value> &tail = rows.tail();
    float *rest = coef + rows.n_terms() * n_blocks;
    const std::size_t first = tail.begin(row), last = tail.end(row);
    for (std::size_t at = first; at < last; ++at)
        rest[tail.column(at, first)] += static_cast<float>(tail.values[at]) * change;
}

// The probability of the class that is less likely at these log odds: accurate however small.
TROENPY_TARGET inline float lesser(float odds) {
    const float e = exponential(odds > 0 ? -odds : odds);
    return e / (1 + e);
}

TROENPY_TARGET inline float logistic(float odds) { return odds > 0 ? 1 - lesser(odds) : lesser(odds); }

// How far log odds are from z: twice the divergence, about. `less` is the lesser probability at the odds.
TROENPY_TARGET inline float distance(float z, float odds, float less) {
    const float here = lesser(z), there = (z > 0) == (odds > 0) ? less : 1 - less;
    return (there - here) * (z > 0 ? z - odds : odds - z);
}

// The log odds for which odds + a p = goal, from odds with the probability p; by Newton steps, within what is known.
TROENPY_TARGET inline float solve_one(float goal, float a, float odds, float p) {
    float low = goal - a, high = goal;
    for (int step = 0; step < max_steps; ++step) {
        const float off = odds + a * p - goal;
        (off > 0 ? high : low) = odds;
        float next = odds - off / (1 + a * p * (1 - p));
        if (!(next >= low && next <= high)) next = (low + high) / 2;
        const float change = next - odds;
        odds = next;
        if (change * change < small_step) break;
        p = logistic(odds);
    }
    return odds;
}

// A guess without what the last visit knew: where p takes all of the goal, or little of it.
TROENPY_TARGET inline float guess_one(float goal, float a, float z) {
    const float share = goal / a;
    if (a < 4) return z;
    return share <= 1e-6f ? std::min(goal, 0.0f) : share >= 1 - 1e-6f ? std::max(goal - a, 0.0f)
                                                                      : std::log(share / (1 - share));
}

// One visit of a row with one decision.
template <typename Value>
TROENPY_TARGET void climb_logistic(Visit<Value> &visit, std::size_t row) {
    const float a = visit.documents[row].bend, weight = visit.documents[row].weight;
    const float z = decide_one(visit, row);
    float &odds = visit.logs[row];
    float before = static_cast<float>(visit.documents[row].code);
    bool is_far = visit.is_first;
    if (!visit.is_first) {
        const float less = lesser(odds), gain = weight * distance(z, odds, less);
        before = odds > 0 ? 1 - less : less;
        visit.gap += gain / 2;
        if (gain < visit.least) return;
        is_far = (z - odds) * (z - odds) > 1;
    }
    const float goal = z + a * before, from = is_far ? std::clamp(guess_one(goal, a, z), goal - a, goal) : odds;
    odds = solve_one(goal, a, from, is_far ? logistic(from) : before);
    move_one(visit, row, weight * (before - logistic(odds)));
    visit.intercept[0] = static_cast<float>(visit.centre[0] + visit.sigma * visit.total[0]);
}

// The same of a row with one decision.
template <typename Value>
TROENPY_TARGET void check_logistic(const Visit<Value> &visit, std::size_t row, Distance &out) {
    const float z = decide_one(visit, row), p = logistic(z), weight = visit.documents[row].weight;
    const bool is_second = visit.documents[row].code == 1;
    const float odds = visit.logs[row];
    out.gap += weight * distance(z, odds, lesser(odds));
    out.loss += weight * (std::log1p(exponential(-std::abs(z))) + std::max(z, 0.0f) - (is_second ? z : 0.0f));
    out.slope[0] += weight * (is_second ? p - 1 : p);
    out.bend[0] += weight * p * (1 - p);
}

// Visits the rows order[first] to order[last]; what is read after them is asked for ahead.
template <typename Value>
TROENPY_TARGET void climb_rows(Visit<Value> &visit, const std::vector<std::uint32_t> &order, std::size_t first,
                               std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
        if (i + 2 * rows_ahead < order.size()) prefetch(visit.documents + order[i + 2 * rows_ahead]);
        if (i + rows_ahead < order.size()) {
            const Document &soon = visit.documents[order[i + rows_ahead]];
            visit.rows->fetch(soon.begin, soon.end);
            prefetch(visit.logs + order[i + rows_ahead] * visit.width);
        }
        const std::size_t row = order[i];
        if (!(visit.documents[row].weight > 0)) continue;
        if (visit.width == 1) climb_logistic(visit, row);
        else climb_softmax(visit, row);
        for (std::size_t k = 0; k < visit.n_decisions; ++k) visit.mean[k] += visit.intercept[k];
        ++visit.n_visits;
    }
}

template <typename Value>
TROENPY_TARGET void check_rows(const Visit<Value> &visit, std::size_t first, std::size_t last, Distance &out) {
    for (std::size_t row = first; row < last; ++row) {
        if (!(visit.documents[row].weight > 0)) continue;
        if (visit.width == 1) check_logistic(visit, row, out);
        else check_softmax(visit, row, out);
    }
}
