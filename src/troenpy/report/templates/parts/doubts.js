// Lists of doubtful rows: find, filter by class, and show more; buttons elsewhere show the rows of a pair of classes.
for (const part of parts.all("[data-doubts]")) {
  const { all, number, say } = parts;
  const [find, given, suggested, likely] = [".find", ".given", ".suggested", ".likely"].map((one) => part.querySelector(one));
  const [count, more] = [part.querySelector(".count"), part.querySelector(".more")];
  const rows = all(".doubt-list > li", part);
  const step = Number(part.dataset.doubts);
  let texts = null;
  let limit = step;
  const show = () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length) texts ??= rows.map((row) => row.textContent.toLowerCase());
    let n = 0;
    rows.forEach((row, i) => {
      const isFound =
        (!given.value || row.dataset.given === given.value) &&
        (!suggested.value || row.dataset.suggested === suggested.value) &&
        (!likely.checked || row.dataset.likely !== undefined) &&
        words.every((word) => texts[i].includes(word));
      row.classList.toggle("is-unmatched", !isFound);
      if (isFound) n += 1;
      row.classList.toggle("is-later", n > limit);
    });
    count.textContent = n === rows.length ? `${number(n)} row${n === 1 ? "" : "s"}` : `${number(n)} of ${number(rows.length)} rows`;
    more.hidden = n <= limit;
    more.textContent = `Show ${number(Math.min(step, n - limit))} more`;
  };
  const change = () => {
    limit = step;
    show();
  };
  for (const control of [find, given, suggested, likely]) control.addEventListener("input", change);
  more.addEventListener("click", () => {
    const shown = rows.filter((row) => row.checkVisibility()).length;
    limit += step;
    show();
    const next = rows.filter((row) => row.checkVisibility())[shown];
    next?.setAttribute("tabindex", "-1");
    next?.focus({ preventScroll: true });
  });
  for (const button of all("[data-show-given]")) {
    button.addEventListener("click", () => {
      find.value = "";
      likely.checked = false;
      given.value = button.dataset.showGiven;
      suggested.value = button.dataset.showSuggested;
      change();
      part.scrollIntoView({ block: "start" });
      given.focus({ preventScroll: true });
      say(count.textContent);
    });
  }
  show();
}
