// Labels of points: moved to where there is room, or hidden; tried again when what is shown changes. In a crowded plane
// they may cover points without a label.
(() => {
  const { all } = parts;
  const moves = ["is-left", "is-above", "is-below"];
  const sides = [[], ["is-left"], ["is-above"], ["is-below"], ["is-above", "is-left"], ["is-below", "is-left"]];
  const meets = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const place = (plane) => {
    if (!plane.checkVisibility()) return;
    const frame = plane.getBoundingClientRect();
    const points = all(".point", plane).filter((point) => !point.classList.contains("is-off"));
    const avoided = plane.classList.contains("is-crowded") ? points.filter((point) => point.classList.contains("is-labelled")) : points;
    const marks = new Map(avoided.map((point) => [point, point.querySelector(".mark").getBoundingClientRect()]));
    const taken = [];
    for (const point of points) {
      point.classList.remove(...moves, "no-room");
      if (!point.classList.contains("is-labelled")) continue;
      const label = point.querySelector("b");
      const fits = sides.some((side) => {
        point.classList.remove(...moves);
        point.classList.add(...side);
        const box = label.getBoundingClientRect();
        const isInside = box.left >= frame.left && box.right <= frame.right + 8 && box.top >= frame.top - 20 && box.bottom <= frame.bottom + 4;
        const hits = taken.some((other) => meets(box, other)) || [...marks].some(([other, mark]) => other !== point && meets(box, mark));
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
