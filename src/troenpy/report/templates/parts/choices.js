// One choice of a setting and of groups for the whole page.
(() => {
  const { all, make, say } = parts;
  const off = new Set();
  // A chart or table whose groups are all hidden says so, instead of its axes or titles.
  const lines = new Map();
  const sayNothing = (box) => {
    const grouped = all("[data-group]", box);
    box.hidden = grouped.length > 0 && grouped.every((element) => element.classList.contains("is-off"));
    if (box.hidden && !lines.has(box)) {
      lines.set(box, make("p", "Nothing to show: what would stand here is switched off above.", { class: "small" }));
      box.after(lines.get(box));
    }
    if (lines.has(box)) lines.get(box).hidden = !box.hidden;
  };
  const apply = () => {
    for (const element of all("[data-group]")) element.classList.toggle("is-off", off.has(element.dataset.group));
    all(".dots, .chart, .table-box").forEach(sayNothing);
    document.dispatchEvent(new Event("chosen"));
  };
  const buttons = all("[data-choice]");
  for (const button of buttons) {
    button.title = "Click to hide or show; Shift-click to show alone";
    button.addEventListener("click", (event) => {
      const key = button.dataset.choice;
      if (event.shiftKey) {
        const isAlone = off.size === buttons.length - 1 && !off.has(key);
        off.clear();
        if (!isAlone) for (const other of buttons) if (other !== button) off.add(other.dataset.choice);
      } else if (!off.delete(key)) off.add(key);
      for (const one of buttons) one.setAttribute("aria-pressed", String(!off.has(one.dataset.choice)));
      apply();
    });
  }
  const select = document.getElementById("setting");
  const show = () => {
    for (const element of all("[data-setting]")) element.hidden = element.dataset.setting !== select.value;
    for (const cell of all("[data-column-setting]")) {
      cell.classList.toggle("is-chosen", cell.dataset.columnSetting === select.value);
    }
    document.dispatchEvent(new Event("chosen"));
  };
  if (select) {
    select.addEventListener("change", () => {
      show();
      say(`${select.selectedOptions[0].textContent} is shown`);
    });
    if (select.value !== "0") show(); // the browser remembers the choice when a page is reloaded
  }
})();
