// Labels of points: moved to where there is room, or hidden; tried again when what is shown changes.
(() => {
  const { all } = parts;
  const sides = ["", "is-left", "is-above", "is-below"];
  const meets = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const place = (plane) => {
    if (!plane.checkVisibility()) return;
    const frame = plane.getBoundingClientRect();
    const points = all(".point", plane).filter((point) => !point.classList.contains("is-off"));
    const marks = points.map((point) => point.querySelector(".mark").getBoundingClientRect());
    const taken = [];
    for (const [i, point] of points.entries()) {
      point.classList.remove(...sides.filter(Boolean), "no-room");
      if (!point.classList.contains("is-labelled")) continue;
      const label = point.querySelector("b");
      const fits = sides.some((side) => {
        point.classList.remove(...sides.filter(Boolean));
        if (side) point.classList.add(side);
        const box = label.getBoundingClientRect();
        const isInside = box.left >= frame.left && box.right <= frame.right + 8 && box.top >= frame.top - 20 && box.bottom <= frame.bottom + 4;
        const hits = taken.some((other) => meets(box, other)) || marks.some((mark, j) => j !== i && meets(box, mark));
        if (!isInside || hits) return false;
        taken.push(box);
        return true;
      });
      point.classList.toggle("no-room", !fits);
    }
  };
  const placeAll = () => all(".points").forEach(place);
  const watch = new ResizeObserver((entries) => entries.forEach((entry) => place(entry.target)));
  all(".points").forEach((plane) => watch.observe(plane));
  document.addEventListener("chosen", placeAll);
  document.fonts?.ready.then(placeAll);
})();
