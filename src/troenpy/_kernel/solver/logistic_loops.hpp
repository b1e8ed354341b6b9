// Part of ascent_loops.hpp: a visit of a row with one decision, the log odds of the second of two classes.

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

// The log odds for which odds + a p = goal, from odds with the probability p; by Newton steps, within what is
// known.
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
    return share <= 1e-6f       ? std::min(goal, 0.0f)
           : share >= 1 - 1e-6f ? std::max(goal - a, 0.0f)
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
