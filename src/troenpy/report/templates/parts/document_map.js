// Maps of documents, on canvases: drawn when they come into view, and again when colours, size or classes change.
(() => {
  const { all, read, say, showTip, hideTip, hasMoved } = parts;
  const data = read("documents");
  if (!data) return;
  const glyphs = ["●", "■", "◆", "▲", "▼"];
  const glyph = (code) => glyphs[Math.floor(code / 10) % glyphs.length];
  const colour = (code) => getComputedStyle(document.documentElement).getPropertyValue(`--class-${code % 10}`).trim();
  const off = new Set();
  const middle = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
  const buttons = all("[data-class]");
  const counts = new Map(buttons.map((button) => [Number(button.dataset.class), 0]));
  for (const code of data.codes) counts.set(code, counts.get(code) + 1);

  const shape = (pen, code, x, y, r) => {
    pen.beginPath();
    const kind = Math.floor(code / 10) % glyphs.length;
    if (kind === 0) pen.arc(x, y, r, 0, 7);
    else if (kind === 1) pen.rect(x - r, y - r, 2 * r, 2 * r);
    else {
      const corners = [[[0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]], [[0, -1.2], [1.2, 1], [-1.2, 1]], [[0, 1.2], [1.2, -1], [-1.2, -1]]][kind - 2];
      for (const [dx, dy] of corners) pen.lineTo(x + r * dx, y + r * dy);
    }
    pen.fill();
  };

  const maps = all(".map").map((box, number) => {
    const view = data.views[number];
    const canvas = box.querySelector("canvas");
    const xs = [Math.min(...view.x), Math.max(...view.x)];
    const ys = [Math.min(...view.y), Math.max(...view.y)];
    const map = { box, view, places: [], current: -1, isSeen: false };
    map.draw = () => {
      if (!map.isSeen) return;
      const { width, height } = canvas.getBoundingClientRect();
      const ratio = devicePixelRatio || 1;
      canvas.width = width * ratio;
      canvas.height = height * ratio;
      const pen = canvas.getContext("2d");
      pen.scale(ratio, ratio);
      const room = 14;
      map.places = view.x.map((x, i) => [
        room + ((x - xs[0]) / (xs[1] - xs[0] || 1)) * (width - 2 * room),
        height - room - ((view.y[i] - ys[0]) / (ys[1] - ys[0] || 1)) * (height - 2 * room),
      ]);
      const style = getComputedStyle(document.body);
      let n = 0;
      const r = data.codes.length > 3000 ? 2 : 2.8;
      pen.globalAlpha = 0.75;
      for (const [code] of counts) {
        if (off.has(code)) continue;
        pen.fillStyle = colour(code);
        data.codes.forEach((other, i) => {
          if (other !== code) return;
          shape(pen, code, ...map.places[i], r);
          n += 1;
        });
      }
      canvas.dataset.shown = n;
      pen.globalAlpha = 1;
      pen.textAlign = "center";
      pen.lineJoin = "round";
      pen.lineWidth = 4;
      pen.strokeStyle = style.backgroundColor;
      const taken = [];
      for (const [code, size] of [...counts].filter(([one]) => !off.has(one)).slice(0, 12)) {
        if (!size) continue;
        pen.font = `600 13px ${style.fontFamily}`;
        const own = map.places.filter((_, i) => data.codes[i] === code);
        const name = data.classes[code].length > 24 ? `${data.classes[code].slice(0, 23)}…` : data.classes[code];
        const half = pen.measureText(name).width / 2;
        const x = Math.min(Math.max(middle(own.map((place) => place[0])), half + 3), width - half - 3);
        const y = middle(own.map((place) => place[1]));
        if (taken.some(([tx, ty, th]) => Math.abs(tx - x) < th + half && Math.abs(ty - y) < 15)) continue;
        taken.push([x, y, half]);
        pen.strokeText(name, x, y);
        pen.fillStyle = style.color;
        pen.fillText(name, x, y);
      }
      if (map.current >= 0) {
        pen.strokeStyle = style.color;
        pen.lineWidth = 2;
        pen.beginPath();
        pen.arc(...map.places[map.current], r + 4, 0, 7);
        pen.stroke();
      }
    };
    const tell = (i) => `${data.classes[data.codes[i]]}\n${data.texts[i]}`;
    const nearest = (x, y) => {
      let best = -1;
      let least = 12 * 12;
      map.places.forEach(([px, py], i) => {
        const distance = (px - x) ** 2 + (py - y) ** 2;
        if (distance < least && !off.has(data.codes[i])) [best, least] = [i, distance];
      });
      return best;
    };
    const point = (event) => {
      event.stopPropagation();
      const at = canvas.getBoundingClientRect();
      const i = nearest(event.clientX - at.left, event.clientY - at.top);
      if (i < 0) hideTip();
      else showTip(tell(i), event.clientX, event.clientY);
    };
    canvas.addEventListener("pointermove", (event) => (hasMoved(event) ? point(event) : event.stopPropagation()));
    canvas.addEventListener("pointerdown", point);
    canvas.addEventListener("pointerleave", hideTip);
    box.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step || off.size === counts.size) return;
      event.preventDefault();
      map.isSeen = true;
      do map.current = (map.current + step + data.codes.length) % data.codes.length;
      while (off.has(data.codes[map.current]));
      map.draw();
      const at = canvas.getBoundingClientRect();
      const [x, y] = map.places[map.current];
      showTip(tell(map.current), at.left + x, at.top + y, "keys");
      say(tell(map.current));
    });
    return map;
  });

  const drawAll = () => {
    for (const button of buttons) {
      const code = Number(button.dataset.class);
      button.setAttribute("aria-pressed", String(!off.has(code)));
      const mark = button.querySelector(".class-mark");
      mark.textContent = glyph(code);
      mark.style.color = colour(code);
    }
    for (const map of maps) map.draw();
  };
  for (const button of buttons) {
    button.title = "Click to hide or show; Shift-click to show alone";
    button.addEventListener("click", (event) => {
      const code = Number(button.dataset.class);
      if (event.shiftKey) for (const other of counts.keys()) other === code ? off.delete(other) : off.add(other);
      else if (!off.delete(code)) off.add(code);
      drawAll();
    });
  }
  document.querySelector("[data-all-classes]").addEventListener("click", () => {
    if (off.size) off.clear();
    else for (const code of counts.keys()) off.add(code);
    drawAll();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  new ResizeObserver(() => maps.forEach((map) => map.draw())).observe(document.querySelector(".map-views"));
  const watch = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        const map = maps.find((one) => one.box === entry.target);
        if (!entry.isIntersecting || map.isSeen) continue;
        map.isSeen = true;
        map.draw();
      }
    },
    { rootMargin: "300px" },
  );
  for (const map of maps) watch.observe(map.box);
  addEventListener("beforeprint", () => {
    for (const map of maps) map.isSeen = true;
    drawAll();
  });
  drawAll();
})();
