// Tables: sort by a column, find rows, show differences from a row, copy what is shown.
(() => {
  const { all, number, copy, say } = parts;
  const value = (cell) => {
    if (!cell) return null;
    if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
    return cell.classList.contains("number") ? null : cell.textContent.trim();
  };
  const order = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true }));
  const sort = (table, column) => {
    const titles = all("thead th", table);
    const isUp = titles[column].getAttribute("aria-sort") !== "ascending";
    for (const title of titles) title.removeAttribute("aria-sort");
    titles[column].setAttribute("aria-sort", isUp ? "ascending" : "descending");
    const rows = [...table.tBodies[0].rows].map((row) => [value(row.cells[column]), row]);
    rows.sort(([a], [b]) => (a === null) - (b === null) || (a === null ? 0 : isUp ? order(a, b) : order(b, a)));
    table.tBodies[0].append(...rows.map(([, row]) => row));
  };
  // Numbers turn into differences from those of a row, which keeps its own; titles say so for readers of copies and screens.
  const compare = (table, row, name) => {
    table.classList.toggle("shows-differences", row !== null);
    for (const other of table.tBodies[0].rows) {
      const first = other.cells[0].querySelector(".cell");
      first.dataset.text ??= first.textContent;
      first.textContent = first.dataset.text + (other === row ? " (its numbers)" : "");
    }
    for (const [column, title] of all("thead th", table).entries()) {
      if (title.dataset.differs === undefined) continue;
      title.querySelector(".difference").textContent = row ? `: difference from ${name}` : "";
      const digits = Number(title.dataset.digits);
      const base = row && value(row.cells[column]);
      for (const other of table.tBodies[0].rows) {
        const cell = other.cells[column];
        const mine = value(cell);
        if (mine === null) continue;
        const shown = cell.querySelector(".cell");
        cell.dataset.text ??= shown.textContent;
        cell.classList.remove("is-fewer", "is-more");
        if (base === null || other === row) {
          shown.textContent = cell.dataset.text;
          continue;
        }
        const change = mine - base;
        const isZero = Math.abs(change) < 0.5 * 10 ** -digits;
        shown.textContent = isZero ? number(0, digits) : `${change < 0 ? "−" : "+"}${number(Math.abs(change), digits)}`;
        if (!isZero) cell.classList.add(change < 0 ? "is-fewer" : "is-more");
      }
    }
  };
  const lines = (table) => {
    const rows = [...table.tBodies[0].rows].filter((row) => row.checkVisibility());
    const texts = rows.map((row) => [...row.cells].map((cell) => (cell.querySelector(".cell, .term") ?? cell).textContent.trim()));
    return [all("thead .sort", table).map((button) => button.textContent.trim()), ...texts];
  };
  const toMarkdown = (table) => {
    const escape = (text) => text.replace(/[\\`*_\[\]|<>]/g, "\\$&").replace(/\s+/g, " ");
    const [header, ...rows] = lines(table);
    const kinds = all("thead th", table).map((title) => (title.dataset.kind === "number" ? "---:" : "---"));
    return [header.map(escape), kinds, ...rows.map((row) => row.map(escape))].map((row) => `| ${row.join(" | ")} |\n`).join("");
  };
  const toCsv = (table) => {
    const kinds = all("thead th", table).map((title) => title.dataset.kind);
    const field = (text, i) => {
      const plain = kinds[i] === "number" ? text.replaceAll(",", "").replace("−", "-").replace("–", "") : text;
      const safe = kinds[i] !== "number" && /^[=+\-@\t\r＝＋－＠]/.test(plain) ? `'${plain}` : plain; // or a formula
      return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
    };
    const [header, ...rows] = lines(table);
    return [header.map((text) => field(text, -1)), ...rows.map((row) => row.map(field))].map((row) => `${row.join(",")}\r\n`).join("");
  };

  parts.copyTable = (table, asMarkdown, button) => copy(asMarkdown ? toMarkdown(table) : toCsv(table), button);

  for (const part of all("[data-table]")) {
    const table = part.querySelector("table");
    for (const [column, button] of all("thead .sort", table).entries()) button.addEventListener("click", () => sort(table, column));
    const find = part.querySelector(".find");
    if (!find) continue;
    const rows = [...table.tBodies[0].rows];
    const texts = rows.map((row) => (row.dataset.search ?? row.textContent).toLowerCase());
    const count = part.querySelector(".count");
    const tell = () => {
      const n = rows.filter((row) => !row.classList.contains("is-unmatched") && !row.classList.contains("is-off")).length;
      count.textContent = n === rows.length ? "" : `${n} of ${rows.length} rows`;
    };
    find.addEventListener("input", () => {
      const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
      rows.forEach((row, i) => row.classList.toggle("is-unmatched", !words.every((word) => texts[i].includes(word))));
      tell();
    });
    document.addEventListener("chosen", tell);
    part.querySelector(".compare")?.addEventListener("change", ({ target }) => {
      const row = target.value === "" ? null : rows[Number(target.value)];
      const name = target.selectedOptions[0].textContent;
      compare(table, row, name);
      const said = part.querySelector(".said-numbers");
      said.dataset.text ??= said.textContent;
      said.textContent = row ? `Coloured numbers are differences from ${name}, which keeps its own; other columns stay.` : said.dataset.text;
      say("the table has changed");
    });
    part.querySelector(".copy-markdown").addEventListener("click", (event) => parts.copyTable(table, true, event.currentTarget));
    part.querySelector(".copy-csv").addEventListener("click", (event) => parts.copyTable(table, false, event.currentTarget));
  }
})();
