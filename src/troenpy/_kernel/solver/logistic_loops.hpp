// Part of ascent_loops.hpp: a visit of a row with one decision, the log odds of the second of two classes.

// The sum of values times coefficients. Four sums at a time: each waits for the one before.
template <typename Value>
TROENPY_TARGET inline float dot(const Cell<Value> *cell, const Cell<Value> *end, const float *coef) {
    float sums[4] = {};
    for (; cell + 4 <= end; cell += 4)
        for (std::size_t i = 0; i < 4; ++i) sums[i] += static_cast<float>(cell[i].value) * coef[cell[i].column];
    for (; cell < end; ++cell) sums[0] += static_cast<float>(cell->value) * coef[cell->column];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <typename Value>
TROENPY_TARGET float decide_one(const Visit<Value> &visit, std::size_t row) {
    const Rows<Value> &rows = *visit.rows;
    const Document &document = visit.documents[row];
    float z = dot(rows.cells() + document.begin, rows.cells() + document.end, visit.coef);
    const Tail<Value> &tail = rows.tail();
    const float *rest = visit.coef + rows.n_cell_columns();
    const std::size_t first = tail.begin(row), last = tail.end(row);
    for (std::size_t at = first; at < last; ++at)
        z += static_cast<float>(tail.values[at]) * rest[tail.column(at, first)];
    return visit.intercept[0] + visit.scale * z;
}

template <typename Value>
TROENPY_TARGET void move_one(Visit<Value> &visit, std::size_t row, float change) {
    const Rows<Value> &rows = *visit.rows;
    float *coef = visit.coef;
    visit.total[0] += change;
    change *= visit.scale;
    const Document &document = visit.documents[row];
    const Cell<Value> *cells = rows.cells();
    for (std::size_t at = document.begin; at < document.end; ++at)
        coef[cells[at].column] += static_cast<float>(cells[at].value) * change;
    const Tail<Value> &tail = rows.tail();
    float *rest = coef + rows.n_cell_columns();
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

// Log odds, and the lesser of the two probabilities at them.
struct Odds {
    float value, less;
    TROENPY_TARGET float p() const { return value > 0 ? 1 - less : less; }
};

// The log odds for which odds + a p = goal, from any others; by Newton steps, within what is known.
TROENPY_TARGET inline Odds solve_one(float goal, float a, Odds odds) {
    float low = goal - a, high = goal;
    for (int step = 0; step < max_steps; ++step) {
        const float p = odds.p(), off = odds.value + a * p - goal;
        (off > 0 ? high : low) = odds.value;
        float next = odds.value - off / (1 + a * p * (1 - p));
        if (!(next >= low && next <= high)) next = (low + high) / 2;
        const float change = next - odds.value;
        odds = {next, lesser(next)};
        if (change * change < small_step) break;
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
    float before = static_cast<float>(visit.documents[row].code);
    Odds odds{visit.logs[row], 0};
    if (!visit.is_first) {
        odds.less = lesser(odds.value);
        before = odds.p();
        const float off = z - odds.value;
        const bool is_near = off * off < small_step;
        const float gain = weight * (is_near ? off * off * before * (1 - before) : distance(z, odds.value, odds.less));
        visit.gap += gain / 2;
        if (gain < visit.least) return;
    }
    const float goal = z + a * before;
    if (visit.is_first || (z - odds.value) * (z - odds.value) > 1) {
        odds.value = std::clamp(guess_one(goal, a, z), goal - a, goal);
        odds.less = lesser(odds.value);
    }
    odds = solve_one(goal, a, odds);
    visit.logs[row] = odds.value;
    move_one(visit, row, weight * (before - odds.p()));
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
