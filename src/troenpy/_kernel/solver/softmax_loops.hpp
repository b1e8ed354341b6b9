// Part of ascent_loops.hpp: a visit of a row with several decisions.

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

// How far p is from what the decisions say: about twice the divergence. Infinite if a class that p all but
// rules out is likely by now, as the formula does not see it.
TROENPY_TARGET inline float distance(const float *z, const float *logs, const float *p, std::size_t width,
                                     float *part) {
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
