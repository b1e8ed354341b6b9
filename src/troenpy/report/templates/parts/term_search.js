// The terms that mark classes: search, filter, sort, and the account of a term.
(() => {
  const { all, make, say, read, number, terms, copyTable } = parts;
  const box = document.querySelector("[data-term-search]");
  if (!box) return;
  const table = read("term-table");
  const { rows } = table;
  const others = box.dataset.rest === "true" ? "the others" : "what it is compared with";
  const input = document.getElementById("term");
  const classes = document.getElementById("term-class");
  const directions = document.getElementById("term-direction");
  const count = document.getElementById("term-count");
  const detail = document.getElementById("term-detail");
  const shownRows = document.getElementById("term-rows");
  const more = document.getElementById("term-more");
  const lower = table.terms.map((term) => term.toLowerCase());
  const places = new Map(table.terms.map((term, place) => [term, place]));
  const share = (part, whole) => (whole ? (100 * part) / whole : 0);
  const small = (value) => (value === null ? "–" : value < 0.0001 ? "<0.0001" : value.toFixed(4));
  const least = (value) => (value === null ? "–" : Math.abs(value) >= 1000 ? number(value) : value.toPrecision(3).replaceAll("-", "−"));
  const exact = (p) => (p === null ? "–" : p === 0 ? "<1e−300" : p < 0.0001 ? p.toExponential(1).replace("-", "−") : p.toFixed(4));
  const signed = (value) => (value === null ? "–" : value.toFixed(1).replace("-", "−"));
  const plural = (n, noun, many = `${noun}s`) => `${number(n)} ${n === 1 ? noun : many}`;
  const inside = (i) => share(rows.documents[i], table.sizes[rows.class[i]]);
  const outside = (i) => share(rows.reference_documents[i], table.compared[rows.class[i]]);
  const ranks = (i) => (rows.rank_low[i] === rows.rank_high[i] ? number(rows.rank[i]) : `${number(rows.rank[i])} (${number(rows.rank_low[i])}–${number(rows.rank_high[i])})`);
  const odds = (i) => `${signed(rows.log_odds[i])} ± ${rows.error[i] === null ? "–" : rows.error[i].toFixed(1)}`;

  table.classes.slice(0, table.n_described).forEach((name, code) => {
    classes.append(make("option", name, { value: code }));
  });

  // The rows that are found, in the order of a column; ties by rank, then by the size of the class.
  const key = {
    term: (i) => lower[rows.term[i]],
    class: (i) => table.classes[rows.class[i]],
    documents: (i) => rows.documents[i],
    share: inside,
    others: outside,
    odds: (i) => rows.log_odds[i],
    weight: (i) => table.weights[rows.term[i]][0],
    q: (i) => rows.q[i],
    rank: (i) => rows.rank[i],
  };
  let order = ["rank", 1];
  let nShown = 100;
  const isUp = new Set(["term", "class", "q", "rank"]); // what is read from the smallest
  const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b);
  const sorted = (found) => {
    const value = new Map(found.map((i) => [i, key[order[0]](i)]));
    return found.sort((a, b) => order[1] * compare(value.get(a), value.get(b)) || rows.rank[a] - rows.rank[b] || rows.class[a] - rows.class[b] || rows.is_more[b] - rows.is_more[a]);
  };
  const filtered = () => {
    const typed = input.value.trim().toLowerCase();
    const found = [];
    for (let i = 0; i < rows.term.length; i += 1) {
      if (classes.value !== "" && rows.class[i] !== Number(classes.value)) continue;
      if (directions.value !== "" && rows.is_more[i] !== Number(directions.value)) continue;
      if (typed && !lower[rows.term[i]].includes(typed)) continue;
      found.push(i);
    }
    sorted(found);
    if (!typed) return found;
    const names = found.map((i) => lower[rows.term[i]]);
    return terms.ranked(names, typed, found.map((_, place) => place)).all.map((place) => found[place]);
  };
  const cell = (text, kind = "number", tag = "td") => {
    const element = make(tag, "", kind ? { class: kind } : {});
    element.append(make("span", text, { class: "cell", dir: kind === "number" ? "ltr" : "auto" }));
    return element;
  };
  const line = (i) => {
    const row = make("tr");
    const name = make("th", "", { scope: "row" });
    name.append(terms.link(table.terms[rows.term[i]]));
    const one = cell(table.classes[rows.class[i]], "");
    if (!rows.is_more[i]) one.append(" ", make("small", "less often"));
    const part = cell(`${inside(i).toFixed(1)} %`);
    part.style.setProperty("--share", `${inside(i)}%`);
    const other = cell(`${outside(i).toFixed(1)} %`);
    other.style.setProperty("--share", `${outside(i)}%`);
    row.append(name, one, cell(number(rows.documents[i])), part, other, cell(odds(i)), cell(least(table.weights[rows.term[i]][0])), cell(small(rows.q[i])), cell(ranks(i)));
    return row;
  };
  const show = () => {
    const found = filtered();
    const nTerms = new Set(found.map((i) => rows.term[i])).size;
    shownRows.tBodies[0].replaceChildren(...found.slice(0, nShown).map(line));
    more.hidden = found.length <= nShown;
    const typed = input.value.trim();
    count.textContent = found.length
      ? `${plural(nTerms, "term")} in ${plural(found.length, "row")}${found.length > nShown ? `; the first ${number(nShown)} are shown` : ""}.`
      : typed ? `No term on this page contains “${typed}”${classes.value === "" && directions.value === "" ? ": only terms that mark a class are here" : ", with these filters"}.` : "No term was found.";
    return found;
  };
  const search = () => {
    nShown = 100;
    const typed = input.value.trim().toLowerCase();
    show();
    const same = typed ? lower.indexOf(typed) : -1;
    if (same >= 0) {
      tell(same, false);
      history.replaceState(null, "", terms.address(table.terms[same]));
    } else detail.hidden = true;
  };
  const titles = all("th[data-key]", shownRows);
  const mark = () => {
    for (const title of titles) {
      if (title.dataset.key === order[0]) title.setAttribute("aria-sort", order[1] > 0 ? "ascending" : "descending");
      else title.removeAttribute("aria-sort");
    }
  };
  for (const title of titles) {
    title.querySelector("button").addEventListener("click", () => {
      const name = title.dataset.key;
      order = [name, order[0] === name ? -order[1] : isUp.has(name) ? 1 : -1];
      mark();
      show();
      say(`sorted by ${title.textContent.trim()}`);
    });
  }

  // The account of a term.
  const tell = (place, moves) => {
    const [weight, low, high] = table.weights[place];
    const pairs = [];
    for (let i = 0; i < table.counts[place].length; i += 2) pairs.push(table.counts[place].slice(i, i + 2));
    const within = ([code, n]) => share(n, table.sizes[code]);
    pairs.sort((a, b) => within(b) - within(a));
    const found = rows.term.flatMap((term, i) => (term === place ? [i] : []));
    found.sort((a, b) => rows.is_more[b] - rows.is_more[a] || rows.rank[a] - rows.rank[b]);
    document.getElementById("term-name").textContent = table.terms[place];
    const [first] = found;
    const most = rows.is_more[first] ? "Marks" : "Is missing from";
    document.getElementById("term-said").textContent =
      `${most} \u2068${table.classes[rows.class[first]]}\u2069 most: ${inside(first).toFixed(1)} % of its documents have the term, ${outside(first).toFixed(1)} % of ${others}. ` +
      `Its weight is ${least(weight)}${low === null ? "" : ` (95 % interval ${least(low)} to ${least(high)})`}.`;
    document.getElementById("term-tests").replaceChildren(...found.map(test));
    document.getElementById("term-classes").replaceChildren(
      ...pairs.map(([code, n]) => {
        const row = make("tr");
        const total = pairs.reduce((sum, pair) => sum + pair[1], 0);
        const part = cell(`${within([code, n]).toFixed(1)} %`);
        part.style.setProperty("--share", `${within([code, n])}%`);
        row.append(cell(table.classes[code], "", "th"), cell(number(n)), part, cell(`${share(n, total).toFixed(1)} %`));
        row.firstChild.setAttribute("scope", "row");
        return row;
      }),
    );
    const quoted = new Map(); // examples with their rows; others than those of a class are told only if it has none
    for (const i of found) {
      const text = JSON.stringify(rows.examples[i]);
      if (!rows.examples[i].length) continue;
      if (!quoted.has(text)) quoted.set(text, [i]);
      else if (rows.is_more[i] === rows.is_more[quoted.get(text)[0]]) quoted.get(text).push(i);
    }
    const list = make("ul", "", { class: "contexts" });
    list.append(...[...quoted.values()].map(context));
    document.getElementById("term-contexts").replaceChildren(list);
    for (const id of ["term-contexts", "term-contexts-title"]) document.getElementById(id).hidden = !quoted.size;
    detail.hidden = false;
    if (moves) {
      detail.scrollIntoView({ block: "start" });
      detail.focus({ preventScroll: true });
    }
  };
  const test = (i) => {
    const row = make("tr");
    const error = rows.error[i];
    const interval = error === null ? "" : ` (${signed(rows.log_odds[i] - error)} to ${signed(rows.log_odds[i] + error)})`;
    row.append(
      cell(table.classes[rows.class[i]], "", "th"), cell(rows.is_more[i] ? "more often" : "less often", ""),
      cell(`${number(rows.documents[i])} of ${number(table.sizes[rows.class[i]])}`), cell(`${inside(i).toFixed(1)} %`),
      cell(`${outside(i).toFixed(1)} %`), cell(`${signed(rows.log_odds[i])}${interval}`),
      cell(exact(rows.p[i])), cell(exact(rows.q[i])), cell(ranks(i)), cell(rows.dispersion[i] === null ? "–" : rows.dispersion[i].toFixed(2)),
    );
    row.firstChild.setAttribute("scope", "row");
    return row;
  };
  const context = (same) => {
    const [before, term, after] = rows.examples[same[0]];
    const item = make("li");
    const names = same.map((i) => `\u2068${table.classes[rows.class[i]]}\u2069`).join(", ");
    const where = rows.is_more[same[0]] ? names : box.dataset.rest === "true" ? `not ${names}` : "compared with";
    const text = make("span", "", { dir: "auto" });
    text.append(before, make("mark", term), after);
    item.append(make("small", where), text);
    return item;
  };

  // Addresses: of a term, and of the terms of a class.
  const go = (moves) => {
    const term = terms.addressed();
    const name = terms.addressed("class");
    if (name !== null) {
      const code = table.classes.indexOf(name);
      if (code < 0 || code >= table.n_described) return;
      classes.value = String(code);
      input.value = "";
      detail.hidden = true;
      search();
      if (moves) box.scrollIntoView({ block: "start" });
      return;
    }
    if (term === null) {
      detail.hidden = true;
      return;
    }
    const place = places.get(term) ?? places.get(term.toLowerCase());
    if (place === undefined) {
      count.textContent = `No term on this page is “${term}”.`;
      detail.hidden = true;
      input.scrollIntoView({ block: "center" });
    } else tell(place, moves);
  };
  let from = null;
  document.addEventListener("click", (event) => {
    const clicked = event.target instanceof Element ? event.target.closest("a.term") : null;
    if (!clicked) return;
    from = clicked;
    if (location.hash === clicked.hash) go(true); // the address stays the same, so there is no hashchange
  });
  addEventListener("hashchange", () => go(true));
  document.getElementById("term-back").addEventListener("click", () => {
    detail.hidden = true;
    input.value = "";
    show();
    history.pushState(null, "", "#terms");
    (from?.isConnected ? from : input).focus();
  });
  input.addEventListener("input", search);
  for (const select of [classes, directions]) select.addEventListener("change", search);
  more.addEventListener("click", () => {
    nShown += 400;
    show();
  });
  for (const kind of ["markdown", "csv"]) {
    box.querySelector(`.copy-${kind}`).addEventListener("click", (event) => copyTable(shownRows, kind === "markdown", event.currentTarget));
  }
  mark();
  show();
  go(true);
})();
