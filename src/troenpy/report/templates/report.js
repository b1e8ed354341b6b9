"use strict";
// Draws charts, sorts tables, filters maps and finds terms. Text from data is only inserted as text nodes.
(() => {
  const read = (id) => {
    const element = document.getElementById(id);
    return element && JSON.parse(element.textContent);
  };
  const make = (tag, text, attributes = {}) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };

  // Charts. Vega's expressions are interpreted, so the page needs no permission to compile code.
  const shared = read("documents");
  const maps = [];
  const values = (view) =>
    shared.codes.map((code, i) => ({
      x: view.x[i], y: view.y[i], code, class: shared.classes[code], document: shared.texts[i],
    }));
  const draw = async (plot) => {
    const name = plot.dataset.chart;
    const panel = Number(plot.dataset.panel);
    const spec = read(`${name}-${panel}`);
    const isMap = plot.classList.contains("map");
    if (isMap) spec.data = { values: values(shared.views[panel]) };
    const controls = document.querySelector(`[data-controls="${CSS.escape(name)}"]`);
    const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
    const { view } = await vegaEmbed(plot, spec, {
      actions: false, ast: true, bind: controls, renderer: "svg", tooltip: { theme: dark ? "dark" : "light" },
    });
    if (isMap) maps.push(view);
    for (const name of ["role", "aria-label", "aria-roledescription"]) plot.removeAttribute(name); // Vega's: ours say more
    plot.setAttribute("aria-hidden", "true");
  };
  const plots = [...document.querySelectorAll(".plot")];
  Promise.all(plots.map(draw)).then(
    () => document.documentElement.setAttribute("data-drawn", String(plots.length)),
    (error) => console.error(error),
  );

  // Maps: the legend buttons hide and show classes in all maps.
  const buttons = [...document.querySelectorAll(".legend [data-code]")];
  const filter = () => {
    const hidden = buttons.filter((b) => b.getAttribute("aria-pressed") === "false").map((b) => Number(b.dataset.code));
    for (const view of maps) view.signal("hidden", hidden).runAsync();
  };
  const press = (button, isShown) => button.setAttribute("aria-pressed", String(isShown));
  for (const button of buttons) {
    button.addEventListener("click", (event) => {
      const isShown = button.getAttribute("aria-pressed") === "true";
      if (event.shiftKey) for (const other of buttons) press(other, other === button);
      else press(button, !isShown);
      filter();
    });
  }
  const all = document.querySelector(".legend [data-all]");
  if (all) {
    all.addEventListener("click", () => {
      const isAny = buttons.some((b) => b.getAttribute("aria-pressed") === "false");
      for (const button of buttons) press(button, isAny);
      filter();
    });
  }

  // Tables: each column title becomes a button that sorts by it; missing values come last.
  const key = (cell) => {
    const text = cell.dataset.value ?? cell.textContent.trim();
    if (text === "" || text === "not run") return null;
    const number = Number(text.replace(/^[<p ]+/, "").replace(/[ %]+$/, ""));
    return Number.isNaN(number) ? text.toLowerCase() : number;
  };
  const compare = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b), "en", { numeric: true });
  };
  const sort = (table, column, header) => {
    const isUp = header.getAttribute("aria-sort") !== "ascending";
    for (const other of table.querySelectorAll("thead th")) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", isUp ? "ascending" : "descending");
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [key(row.cells[column]), row]);
    rows.sort(([a], [b]) => (a === null || b === null ? (a === null) - (b === null) : isUp ? compare(a, b) : compare(b, a)));
    body.append(...rows.map(([, row]) => row));
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((header, column) => {
      const button = make("button", header.textContent, { type: "button" });
      button.addEventListener("click", () => sort(table, column, header));
      header.replaceChildren(button);
    });
  }

  // Terms.
  const table = read("term-table");
  if (!table) return;
  const input = document.getElementById("term");
  const found = document.getElementById("found");
  const lower = table.terms.map((term) => term.toLowerCase());
  const most = 40;
  const find = () => {
    const wanted = input.value.trim().toLowerCase();
    found.replaceChildren();
    const count = document.getElementById("found-count");
    if (!wanted) {
      count.textContent = "";
      return;
    }
    const places = lower.flatMap((term, i) => (term.includes(wanted) ? [i] : []));
    const closeness = (i) => (lower[i] === wanted ? 0 : lower[i].startsWith(wanted) ? 1 : 2);
    places.sort((a, b) => closeness(a) - closeness(b) || table.documents[b] - table.documents[a]);
    for (const place of places.slice(0, most)) {
      const button = make("button", table.terms[place], { type: "button" });
      button.addEventListener("click", () => show(place, true));
      found.append(button);
    }
    const cut = places.length > most ? `, showing the first ${most}` : "";
    count.textContent = places.length ? `${places.length} found${cut}` : `no term on this page contains “${input.value.trim()}”`;
    if (places.length && lower[places[0]] === wanted) show(places[0], false);
  };
  const share = (part, whole) => (whole ? (100 * part) / whole : 0);
  const show = (place, moves) => {
    const documents = table.documents[place];
    const pairs = [];
    for (let i = 0; i < table.by_class[place].length; i += 2) pairs.push(table.by_class[place].slice(i, i + 2));
    pairs.sort((a, b) => b[1] - a[1]);
    document.getElementById("term-name").textContent = table.terms[place];
    document.getElementById("term-numbers").textContent =
      `in ${documents.toLocaleString("en")} of ${table.n_documents.toLocaleString("en")} training documents (n_w); ` +
      `PCF ${table.pcf[place]}, IDF ${table.idf[place]}, weight ${table.weight[place]}`;
    const classes = pairs.map(([code, number]) => {
      const row = make("tr");
      const bar = make("i", undefined, { "aria-hidden": "true" });
      bar.style.width = `${(share(number, documents) * 0.7).toFixed(1)}%`;
      const last = make("td");
      const box = make("div", undefined, { class: "share" });
      box.append(bar, make("span", share(number, documents).toFixed(1)));
      last.append(box);
      row.append(
        make("th", table.classes[code], { scope: "row" }),
        make("td", number, { class: "number" }),
        make("td", share(number, table.class_documents[code]).toFixed(1), { class: "number" }),
        last,
      );
      return row;
    });
    document.getElementById("term-classes").replaceChildren(...classes);
    const ranks = table.schemes.map((scheme, i) => {
      const row = make("tr");
      row.append(
        make("th", scheme, { scope: "row" }),
        make("td", `${table.ranks[place][i].toLocaleString("en")} of ${table.n_terms.toLocaleString("en")}`, {
          class: "number", "data-value": table.ranks[place][i],
        }),
      );
      return row;
    });
    document.getElementById("term-ranks").replaceChildren(...ranks);
    const detail = document.getElementById("term-detail");
    detail.hidden = false;
    if (moves) detail.focus();
  };
  input.addEventListener("input", find);
  for (const button of document.querySelectorAll("button.term")) {
    button.addEventListener("click", () => show(Number(button.dataset.term), true));
  }
})();
