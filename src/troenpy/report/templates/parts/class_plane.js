// Two classes against each other: each term by its share of the documents of both, on axes of square roots.
(() => {
  const { make, read, number, terms } = parts;
  const box = document.querySelector("[data-class-plane]");
  if (!box) return;
  const table = read("term-table");
  const MOST = 400;
  const N_LABELS = 14; // of each class
  const plane = box.querySelector(".plane");
  const x = document.getElementById("plane-x");
  const y = document.getElementById("plane-y");
  for (const select of [x, y]) select.append(...table.classes.map((name, code) => make("option", name, { value: code })));
  x.value = "0";
  y.value = "1";
  document.getElementById("plane-most").textContent = number(MOST);

  const counts = (place, code) => {
    const pairs = table.counts[place];
    for (let i = 0; i < pairs.length; i += 2) if (pairs[i] === code) return pairs[i + 1];
    return 0;
  };
  // The difference of the angles of two shares, in its standard errors.
  const angle = (n, size) => Math.asin(Math.sqrt((n + 0.375) / (size + 0.75)));
  const rarity = table.counts.map((pairs) => {
    const documents = pairs.reduce((sum, value, i) => sum + (i % 2 ? value : 0), 0);
    return Math.max(Math.log(table.sizes.reduce((sum, size) => sum + size, 0) / Math.max(documents, 1)), 0);
  });
  // How strongly a term marks the first class against the second, as in the order of all terms: see the end of the page.
  const strength = (place, n, size, m, other) => {
    const [p, q] = [(n + 0.5) / (size + 1), (m + 0.5) / (other + 1)];
    const error = Math.sqrt(1 / (n + 0.5) - 1 / (size + 1) + 1 / (m + 0.5) - 1 / (other + 1));
    return p * Math.max(Math.log(p / q) - 1.96 * error, 0) * rarity[place];
  };
  const entry = (place, a, b) => {
    const [n, m] = [counts(place, a), counts(place, b)];
    const [size, other] = [table.sizes[a], table.sizes[b]];
    const z = (2 * (angle(n, size) - angle(m, other))) / Math.sqrt(1 / (size + 0.5) + 1 / (other + 0.5));
    const strengths = strength(place, n, size, m, other) - strength(place, m, other, n, size);
    return { place, n, m, z, strength: strengths, x: n / Math.max(size, 1), y: m / Math.max(other, 1) };
  };
  // The strongest terms of each class, and the most frequent of both.
  const choose = (found) => {
    if (found.length <= MOST) return found;
    const kept = new Set();
    const keep = (key, n) => [...found].sort((one, other) => key(other) - key(one)).slice(0, n).forEach((one) => kept.add(one));
    keep((one) => one.strength, MOST / 2 - 50);
    keep((one) => -one.strength, MOST / 2 - 50);
    keep((one) => Math.min(one.x, one.y), 100);
    return [...kept];
  };
  const ticks = (high) => {
    const found = [];
    for (const tick of [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1]) {
      if (tick <= high && (!found.length || Math.sqrt(tick / high) - Math.sqrt(found.at(-1) / high) > 0.09)) found.push(tick);
    }
    return found;
  };
  const percent = (part, digits = 1) => `${(100 * part).toFixed(digits)} %`;
  const grid = (high) => {
    const place = (value) => `${100 * Math.sqrt(value / high)}%`;
    const axes = { "x-axis": ["left", "grid-x"], "y-axis": ["bottom", "grid-y"] };
    return Object.entries(axes).flatMap(([axis, [side, name]]) => {
      const labels = ticks(high).map((tick) => {
        const label = make("i", `${+(100 * tick).toFixed(2)}`);
        label.style[side] = place(tick);
        return label;
      });
      box.querySelector(`.${axis}`).replaceChildren(...labels);
      return ticks(high).map((tick) => {
        const line = make("i", "", { class: name });
        line.style[side] = place(tick);
        return line;
      });
    });
  };
  const diagonal = () => {
    const space = "http://www.w3.org/2000/svg";
    const picture = document.createElementNS(space, "svg");
    for (const [name, value] of Object.entries({ viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" })) picture.setAttribute(name, value);
    const path = document.createElementNS(space, "path");
    path.setAttribute("d", "M0 100 L100 0");
    path.setAttribute("class", "diagonal");
    picture.append(path);
    return picture;
  };
  const point = (one, high, isLabelled, a, b) => {
    const hue = Math.abs(one.z) <= 2 ? 5 : one.z > 0 ? 0 : 1;
    const element = make("span", "", { class: `point hue-${hue}${isLabelled ? " is-labelled" : ""}` });
    element.style.left = `${100 * Math.sqrt(one.x / high)}%`;
    element.style.bottom = `${100 * Math.sqrt(one.y / high)}%`;
    element.dataset.term = one.place;
    const said = (name, n, part) => `\u2068${name}\u2069: ${number(n)} documents, ${percent(part)}`;
    element.dataset.tip = `\u2068${table.terms[one.place]}\u2069\n${said(table.classes[a], one.n, one.x)}\n${said(table.classes[b], one.m, one.y)}`;
    element.append(make("i", "", { class: "mark" }), make("b", table.terms[one.place], { dir: "auto" }));
    return element;
  };
  const draw = () => {
    const [a, b] = [Number(x.value), Number(y.value)];
    const found = choose(table.terms.map((_, place) => entry(place, a, b)).filter((one) => one.n || one.m));
    found.sort((one, other) => Math.abs(other.strength) - Math.abs(one.strength) || Math.abs(other.z) - Math.abs(one.z));
    const high = Math.min(1.04, Math.max(0.01, ...found.flatMap((one) => [one.x, one.y])) * 1.08);
    const left = { 0: N_LABELS, 1: N_LABELS };
    const labelled = found.map((one) => one.strength !== 0 && left[Number(one.strength < 0)]-- > 0);
    plane.replaceChildren(...grid(high), diagonal(), ...found.map((one, i) => point(one, high, labelled[i], a, b)));
    document.getElementById("plane-x-title").textContent = `documents of \u2068${table.classes[a]}\u2069 with the term, %`;
    document.getElementById("plane-y-title").textContent = `documents of \u2068${table.classes[b]}\u2069 with the term, %`;
    const clear = [found.filter((one) => one.z > 2).length, found.filter((one) => one.z < -2).length];
    document.getElementById("plane-said").textContent =
      `${number(found.length)} terms: ${number(clear[0])} more frequent in \u2068${table.classes[a]}\u2069 (below the line), ${number(clear[1])} in \u2068${table.classes[b]}\u2069 (above it).`;
    document.dispatchEvent(new Event("chosen")); // labels are placed
  };
  let before = [x.value, y.value];
  const change = (event) => {
    if (x.value === y.value) (event.target === x ? y : x).value = event.target === x ? before[0] : before[1];
    before = [x.value, y.value];
    draw();
  };
  x.addEventListener("change", change);
  y.addEventListener("change", change);
  document.getElementById("plane-swap").addEventListener("click", () => {
    [x.value, y.value] = [y.value, x.value];
    before = [x.value, y.value];
    draw();
  });
  const open = (element) => {
    if (element) location.hash = terms.address(table.terms[element.dataset.term]);
  };
  plane.addEventListener("click", (event) => open(event.target.closest("[data-term]")));
  plane.addEventListener("keydown", (event) => event.key === "Enter" && open(plane.querySelector(".is-current")));
  draw();
})();
