// The terms of a corpus. All terms with equal counts share a row of counts and weights; `table.rows` refers to it.
(() => {
  const { all, make, say, read, number, terms } = parts;
  if (!document.getElementById("term-order")) return;
  const table = read("term-table");
  const input = document.getElementById("term");
  const orderBy = document.getElementById("term-order");
  const schemes = document.getElementById("scheme");
  const count = document.getElementById("term-count");
  const foundBox = document.getElementById("found");
  const detail = document.getElementById("term-detail");
  const column = document.querySelector(".class-columns");
  const lower = table.terms.map((term) => term.toLowerCase());
  const places = new Map(table.terms.map((term, place) => [term, place]));
  const weightsOf = () => table.weights[schemes.value];
  const share = (part, whole) => (whole ? (100 * part) / whole : 0);
  const least = (value) => Number(value.toPrecision(4)).toString().replace("-", "−");

  const spark = (row) => {
    const inside = new Map();
    const pairs = table.counts[row];
    for (let i = 0; i < pairs.length; i += 2) inside.set(pairs[i], share(pairs[i + 1], table.class_documents[pairs[i]]));
    const shown = table.classes.length <= 16 ? table.classes.map((_, code) => code) : [...inside.keys()].sort((a, b) => inside.get(b) - inside.get(a)).slice(0, 16);
    const most = Math.max(...inside.values());
    const box = make("span", "", { class: "spark" });
    box.dataset.tip = shown.filter((code) => inside.has(code)).map((code) => `${table.classes[code]}: ${inside.get(code).toFixed(1)} % of its documents`).join("\n");
    for (const code of shown) {
      const bar = make("i");
      bar.style.height = `${share(inside.get(code) ?? 0, most)}%`;
      box.append(bar);
    }
    return box;
  };
  const link = (place) => terms.link(table.terms[place]);

  // Terms in the chosen order; ties by name, so that the order is always the same.
  const score = { both: (row) => weightsOf()[row] * table.documents[row], weight: (row) => weightsOf()[row], documents: (row) => table.documents[row] };
  const sorted = (found) => {
    const key = score[orderBy.value];
    if (!key) return found.sort((a, b) => table.terms[a].localeCompare(table.terms[b], "en"));
    return found.sort((a, b) => key(table.rows[b]) - key(table.rows[a]) || a - b);
  };
  const list = () => {
    const typed = input.value.trim().toLowerCase();
    foundBox.hidden = !typed;
    if (!typed) {
      count.textContent = `${number(table.terms.length)} terms to search.`;
      foundBox.replaceChildren();
      return [];
    }
    const found = [];
    lower.forEach((term, place) => term.includes(typed) && found.push(place));
    sorted(found);
    const { exact, all: ordered } = terms.ranked(lower, typed, found);
    const shown = ordered.slice(0, 60);
    count.textContent = !found.length ? `No term on this page contains “${input.value.trim()}”.`
      : `${number(found.length)} found${found.length > shown.length ? `, ${shown.length} shown` : ""}.`;
    foundBox.replaceChildren(
      ...shown.map((place) => {
        const row = make("div", "", { class: "row" });
        const n = table.documents[table.rows[place]];
        row.append(link(place), make("small", `${number(n)} document${n === 1 ? "" : "s"}`), spark(table.rows[place]));
        return row;
      }),
    );
    return exact;
  };
  const search = () => {
    const [place] = list();
    detail.hidden = place === undefined;
    if (place === undefined) return;
    show(place, false);
    history.replaceState(null, "", terms.address(table.terms[place]));
  };

  const ranksOf = new Map();
  const rank = (scheme, row) => {
    if (!ranksOf.has(scheme)) {
      const values = table.weights[scheme];
      const sizes = new Array(values.length).fill(0);
      for (const one of table.rows) sizes[one] += 1;
      const order = values.map((_, i) => i).sort((a, b) => values[b] - values[a]);
      const ranks = [];
      let before = 0;
      order.forEach((one, i) => {
        ranks[one] = i && values[one] === values[order[i - 1]] ? ranks[order[i - 1]] : before + 1;
        before += sizes[one];
      });
      ranksOf.set(scheme, ranks);
    }
    return ranksOf.get(scheme)[row];
  };
  const cells = (name, ...numbers) => {
    const row = make("tr");
    row.append(make("th", name, { scope: "row" }));
    for (const text of numbers) row.append(make("td", text, { class: "number" }));
    return row;
  };
  const show = (place, moves) => {
    const row = table.rows[place];
    const n = table.documents[row];
    const scheme = schemes.value;
    const pairs = [];
    for (let i = 0; i < table.counts[row].length; i += 2) pairs.push([table.counts[row][i], table.counts[row][i + 1]]);
    const within = ([code, inside]) => share(inside, table.class_documents[code]);
    pairs.sort((a, b) => within(b) - within(a));
    const [top, most] = pairs[0];
    const others = share(n - most, table.n_documents - table.class_documents[top]);
    document.getElementById("term-name").textContent = table.terms[place];
    document.getElementById("term-said").textContent =
      `Marks ${table.classes[top]} most: ${within(pairs[0]).toFixed(1)} % of its documents have the term, ${others.toFixed(1)} % of the others. ` +
      `It is in ${number(n)} of ${number(table.n_documents)} training documents; its weight by ${scheme} is ${least(table.weights[scheme][row])}.`;
    document.getElementById("term-classes").replaceChildren(
      ...pairs.map(([code, inside]) => {
        const line = cells(table.classes[code], number(inside), `${share(inside, table.class_documents[code]).toFixed(1)} %`, `${share(inside, n).toFixed(1)} %`);
        line.lastChild.style.setProperty("--share", `${share(inside, n)}%`);
        return line;
      }),
    );
    document.getElementById("term-account").replaceChildren(...account(row).map((text) => make("li", text)));
    document.getElementById("term-ranks").replaceChildren(
      ...Object.keys(table.weights).map((name) => cells(name, least(table.weights[name][row]), number(rank(name, row)))),
    );
    const contexts = table.contexts?.[table.terms[place]] ?? [];
    const box = document.getElementById("term-contexts");
    box.replaceChildren();
    if (contexts.length) box.append(make("h4", "In the documents"), examples(table.terms[place], contexts));
    detail.hidden = false;
    if (moves) {
      detail.scrollIntoView({ block: "start" });
      detail.focus({ preventScroll: true });
    }
  };
  // How a weight is made, step by step; a scheme without steps of its own is told as PI is made.
  const steps = {
    idf: (row) => [`IDF = 1 + log(n / (1 + n_w)) = ${least(table.weights.idf[row])}: how rare the term is.`],
    pcf_present: (row) => [`PCF₁ = Σ p_i log(n_w / (1 + n_w − n_iw)), with p_i = n_iw / n_w, = ${least(table.weights.pcf_present[row])}: how certain the class is in documents with the term.`],
    pcf_boost: (row) => [...steps.pcf_present(row), `1 + PCF₁ = ${least(table.weights.pcf_boost[row])}.`],
    pcf: (row) => [
      ...steps.pcf_present(row),
      `PCF∗ = ${least(table.pcf_all)}: how certain it is in any document.`,
      `PCF = PCF₁ − PCF∗ = ${least(table.weights.pcf[row])}: what the term adds.`,
    ],
    pi: (row) => [...steps.pcf(row), ...steps.idf(row), `PI = PCF × IDF = ${least(table.weights.pi[row])}.`],
    certainty: (row) => {
      const n = table.n_documents;
      const q = table.documents[row] / n;
      const inside = new Map();
      const pairs = table.counts[row];
      for (let i = 0; i < pairs.length; i += 2) inside.set(pairs[i], pairs[i + 1]);
      const sizes = table.class_documents;
      const having = troenpy(sizes.map((size, code) => (inside.get(code) ?? 0) + size / n));
      const lacking = troenpy(sizes.map((size, code) => size - (inside.get(code) ?? 0) + size / n));
      const any = troenpy(sizes);
      const gain = q * having + (1 - q) * lacking - any;
      return [
        `q = n_w / n = ${least(q)}.`,
        `T(p⁺) = ${least(having)}, with p⁺_i = (n_iw + c_i) / (n_w + 1) and c_i = C_i / n: how certain the class is in documents with the term.`,
        `T(p⁻) = ${least(lacking)}, with p⁻_i = (C_i − n_iw + c_i) / (n − n_w + 1): how certain it is in documents without it.`,
        `T(c) = ${least(any)}: how certain it is in any document. T(p) = Σ p_i log(1 / (1 − p_i)).`,
        `G = max(0, q T(p⁺) + (1 − q) T(p⁻) − T(c)) = ${least(gain > 8 * Number.EPSILON * any ? gain : 0)}: what the term adds.`,
        `certainty = G / q = ${least(table.weights.certainty[row])}: the same per document with the term.`,
      ];
    },
  };
  const troenpy = (counts) => {
    const whole = counts.reduce((sum, n) => sum + n, 0);
    return counts.reduce((sum, n) => sum + (n ? (n / whole) * Math.log(whole / (whole - n)) : 0), 0);
  };
  const account = (row) => {
    const scheme = steps[schemes.value] ? schemes.value : "pi";
    document.getElementById("term-account-title").textContent = scheme === schemes.value ? "How its weight is made" : "How PI is made";
    return [`n_w = ${number(table.documents[row])} of n = ${number(table.n_documents)} documents have the term.`, ...steps[scheme](row)];
  };
  const examples = (term, contexts) => {
    const list = make("ul", "", { class: "contexts" });
    for (const [code, text] of contexts) {
      const item = make("li");
      item.append(make("small", `${table.classes[code]}: `));
      const at = text.toLowerCase().indexOf(term.toLowerCase());
      if (at < 0) item.append(text);
      else item.append(text.slice(0, at), make("mark", text.slice(at, at + term.length)), text.slice(at + term.length));
      list.append(item);
    }
    return list;
  };

  // The columns of classes, under another scheme or in another order.
  const lists = all("[data-class-terms]");
  let byRow;
  const columns = () => {
    const values = weightsOf();
    byRow ??= table.rows.reduce((found, row, place) => ((found[row] ??= []).push(place), found), []);
    const tops = lists.map(() => []);
    const keep = (list, entry) => {
      if (list.length === 10 && entry[0] <= list[9][0]) return;
      list.push(entry);
      list.sort((a, b) => b[0] - a[0] || a[1] - b[1]);
      list.length = Math.min(list.length, 10);
    };
    table.counts.forEach((pairs, row) => {
      for (let i = 0; i < pairs.length; i += 2) {
        const part = pairs[i + 1] / table.documents[row];
        const worth = { both: values[row] * pairs[i + 1] * part, weight: values[row] * part, documents: pairs[i + 1], name: 0 }[orderBy.value];
        for (const place of byRow[row].slice(0, 10)) keep(tops[pairs[i]], [orderBy.value === "name" ? -place : worth, place, pairs[i + 1], part]);
      }
    });
    lists.forEach((list, code) => {
      list.replaceChildren(
        ...tops[code].map(([, place, inside, part]) => {
          const item = make("li");
          item.style.setProperty("--share", `${100 * part}%`);
          item.append(link(place), " ", make("small", number(inside)));
          return item;
        }),
      );
    });
    const how = { both: "weight × documents of the class × the share of the term's documents that are in the class", weight: "weight × the share of the term's documents that are in the class", documents: "documents of the class", name: "the alphabet" }[orderBy.value];
    document.getElementById("marks-said").textContent = `Weight: ${schemes.value}. Ordered by ${how}; bars show that share. Click a term for its account.`;
  };
  const change = () => {
    columns();
    list();
    if (!detail.hidden) go(false);
    say("the order of terms has changed");
  };

  const go = (moves) => {
    const term = terms.addressed();
    if (term === null) return;
    const place = places.get(term) ?? places.get(term.toLowerCase());
    if (place === undefined) {
      count.textContent = `No term on this page is “${term}”.`;
      detail.hidden = true;
      input.scrollIntoView({ block: "center" });
    } else show(place, moves);
  };
  let from = null;
  document.addEventListener("click", (event) => {
    const clicked = event.target instanceof Element ? event.target.closest("a.term") : null;
    if (!clicked) return;
    from = clicked;
    if (location.hash === clicked.hash) go(true); // the address stays the same, so there is no hashchange
  });
  addEventListener("hashchange", () => {
    if (terms.addressed() !== null) go(true);
    else detail.hidden = true;
  });
  document.getElementById("term-back").addEventListener("click", () => {
    detail.hidden = true;
    input.value = "";
    search();
    history.pushState(null, "", "#terms");
    (from?.isConnected ? from : input).focus();
  });
  input.addEventListener("input", search);
  orderBy.addEventListener("change", change);
  schemes.addEventListener("change", change);
  if (orderBy.selectedIndex || !schemes.selectedOptions[0].defaultSelected) change(); // remembered by the browser
  go(false);
  addEventListener("load", () => go(true)); // before, a phone has not yet set the width of the page
})();
