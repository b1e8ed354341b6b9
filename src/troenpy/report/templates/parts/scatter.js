// Labels of points: moved to where there is room and no other point is nearer, or further away at the end of a line, or
// hidden; placed again when what is shown changes, as is the frontier. In a crowded plane labels stay beside their points
// and may cover points without a label.
(() => {
  const { all, make } = parts;
  const GAP = 9; // pixels from a point to its label
  const meets = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const box = (left, top, width, height) => ({ left, top, right: left + width, bottom: top + height });
  const distance = (a, { x, y }) => Math.hypot(Math.max(a.left - x, 0, x - a.right), Math.max(a.top - y, 0, y - a.bottom));

  const beside = ({ x, y }, w, h) =>
    [[GAP, -h / 2], [-GAP - w, -h / 2], [-5, -GAP - h], [-5, GAP], [5 - w, -GAP - h], [5 - w, GAP]]
      .map(([left, top]) => ({ label: box(x + left, y + top, w, h), line: [] }));
  const away = ({ x, y }, w, h) => [24, 38, 54, 72, 92].flatMap((length) => [-45, 45, -135, 135, -90, 90, -20, 20, 160, 200].map((angle) => {
    const [across, down] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
    const [endX, endY] = [x + length * across, y + length * down];
    const steps = [...Array(Math.floor(length / 4)).keys()].slice(2);
    return {
      label: box(Math.abs(across) < 0.1 ? endX - w / 2 : across > 0 ? endX : endX - w, Math.abs(down) < 0.5 ? endY - h / 2 : down > 0 ? endY : endY - h, w, h),
      line: steps.map((step) => box(x + 4 * step * across - 1, y + 4 * step * down - 1, 2, 2)),
      length,
      angle,
    };
  }));

  const place = (plane) => {
    if (!plane.checkVisibility()) return;
    const frame = plane.getBoundingClientRect();
    const isCrowded = plane.classList.contains("is-crowded");
    const shown = all(".point:not(.is-off)", plane);
    const named = shown.filter((point) => point.matches(".is-labelled, .is-best"));
    named.sort((a, b) => b.classList.contains("is-best") - a.classList.contains("is-best"));
    for (const point of named) {
      point.classList.remove("no-room");
      point.querySelector(".leader")?.remove();
    }
    const centres = new Map((isCrowded ? named : shown).map((point) => [point, point.getBoundingClientRect()]));
    const marks = new Map([...centres.keys()].map((point) => [point, point.querySelector(".mark").getBoundingClientRect()]));
    const sizes = new Map(named.map((point) => [point, point.querySelector("b").getBoundingClientRect()]));
    const taken = [];
    for (const point of named) {
      const centre = centres.get(point);
      const others = [...centres.keys()].filter((other) => other !== point);
      const fits = ({ label, line }) =>
        label.left >= frame.left && label.right <= frame.right + 8 && label.top >= frame.top - 20 && label.bottom <= frame.bottom + 4 &&
        [label, ...line].every((part) => !taken.some((other) => meets(part, other)) && !others.some((other) => meets(part, marks.get(other)))) &&
        (line.length || others.every((other) => distance(label, centres.get(other)) > distance(label, centre) + 2));
      const { width, height } = sizes.get(point);
      const found = beside(centre, width, height).find(fits) ?? (isCrowded ? undefined : away(centre, width, height).find(fits));
      point.classList.toggle("no-room", !found);
      if (!found) continue;
      taken.push(found.label, ...found.line);
      const label = point.querySelector("b");
      label.style.left = `${found.label.left - centre.x}px`;
      label.style.top = `${found.label.top - centre.y}px`;
      if (!found.line.length) continue;
      const leader = make("i", "", { class: "leader" });
      leader.style.width = `${found.length}px`;
      leader.style.transform = `rotate(${found.angle}deg)`;
      point.prepend(leader);
    }
  };

  // The frontier of the points that are shown, in steps.
  const join = (plane) => {
    const path = plane.querySelector(".frontier");
    if (!path) return;
    const places = all(".point", plane).map((point) => ({ point, x: parseFloat(point.style.left), y: parseFloat(point.style.bottom) }));
    places.sort((a, b) => a.x - b.x || a.y - b.y);
    const best = [];
    for (const one of places) {
      const isBest = !one.point.classList.contains("is-off") && (!best.length || one.y < best.at(-1).y);
      one.point.classList.toggle("is-best", isBest);
      if (isBest) best.push(one);
    }
    const steps = best.map(({ x, y }, i) => (i ? `H${x} V${100 - y}` : `M${x} ${100 - y}`));
    path.setAttribute("d", best.length > 1 ? `${steps.join(" ")} H100` : "");
  };

  const watch = new ResizeObserver((entries) => entries.forEach((entry) => place(entry.target)));
  all(".points").forEach((plane) => watch.observe(plane));
  document.addEventListener("chosen", () => all(".points").forEach((plane) => {
    join(plane);
    place(plane);
  }));
  document.fonts?.ready.then(() => all(".points").forEach(place));
})();
