// Rows that are folded away at first, and rows that do not clearly differ from the one pointed at.
for (const button of parts.all(".unfold")) {
  const text = button.textContent;
  button.addEventListener("click", () => {
    const isFolded = button.previousElementSibling.classList.toggle("is-folded");
    button.setAttribute("aria-expanded", String(!isFolded));
    button.textContent = isFolded ? text : "Show fewer";
  });
}

for (const table of parts.all(".dot-rows:has([data-like])")) {
  const rows = parts.all("[data-like]", table);
  const mark = (chosen) => {
    const like = new Set(chosen.dataset.like.split(" ").map(Number));
    rows.forEach((row, i) => row.classList.toggle("is-like", like.has(i)));
  };
  const find = (target) => (target instanceof Element ? target.closest("[data-like]") : null);
  table.addEventListener("pointerover", (event) => find(event.target) && mark(find(event.target)));
  table.addEventListener("pointerleave", () => mark(rows[0]));
  table.addEventListener("keyup", () => mark(rows.find((row) => row.classList.contains("is-current")) ?? rows[0]));
  mark(rows[0]);
}
