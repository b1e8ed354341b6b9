// What all parts use: elements from text, a line for screen readers, copying, and what hovering or arrow keys show.
const parts = (() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const make = (tag, text = "", attributes = {}) => {
    const element = document.createElement(tag);
    element.textContent = text;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const say = (text) => {
    document.getElementById("said").textContent = text;
  };
  const read = (id) => {
    const element = document.getElementById(id);
    return element ? JSON.parse(element.textContent) : null;
  };
  const number = (value, digits = 0) =>
    value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });

  const copy = async (text, button) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = make("textarea", "", { readonly: "" });
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
      button.focus();
    }
    const before = button.dataset.label ?? button.textContent;
    button.dataset.label = before;
    button.textContent = "copied";
    say("copied");
    setTimeout(() => (button.textContent = before), 1500);
  };

  const tip = document.getElementById("tip");
  const showTip = (text, left, top, by = "pointer") => {
    tip.dataset.by = by;
    tip.textContent = text;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const x = left + 14 + box.width > innerWidth ? Math.max(4, left - 14 - box.width) : left + 14;
    const y = top + 14 + box.height > innerHeight ? Math.max(4, top - 14 - box.height) : top + 14;
    tip.style.transform = `translate(${x}px, ${y}px)`;
  };
  const hideTip = () => {
    tip.hidden = true;
  };
  // A page that scrolls under a resting pointer also sends events.
  const at = { x: -1, y: -1 };
  const hasMoved = ({ clientX: x, clientY: y }) => {
    if (x === at.x && y === at.y) return false;
    Object.assign(at, { x, y });
    return true;
  };
  return { all, make, say, read, number, copy, showTip, hideTip, hasMoved };
})();

(() => {
  const { all, say, copy, showTip, hideTip, hasMoved } = parts;
  const source = (event) => (event.target instanceof Element ? event.target.closest("[data-tip]") : null);
  const point = (event) => {
    const element = source(event);
    if (element) showTip(element.dataset.tip, event.clientX, event.clientY);
    else hideTip();
  };
  document.addEventListener("pointermove", (event) => hasMoved(event) && point(event));
  document.addEventListener("pointerdown", point); // a finger that touches does not move
  const leave = () => document.getElementById("tip").dataset.by === "pointer" && hideTip(); // keys scroll, too
  document.addEventListener("scroll", leave, { passive: true, capture: true });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hideTip();
    const box = event.target instanceof Element ? event.target.closest("[data-tips]") : null;
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!box || !step || event.target !== box) return;
    event.preventDefault();
    const shown = all("[data-tip]", box).filter((element) => element.checkVisibility());
    if (!shown.length) return;
    const place = shown.findIndex((element) => element.classList.contains("is-current"));
    for (const element of shown) element.classList.remove("is-current");
    const next = shown[(place + step + shown.length) % shown.length];
    next.classList.add("is-current");
    const at = next.getBoundingClientRect();
    showTip(next.dataset.tip, at.left + at.width / 2, at.top + at.height / 2, "keys");
    say(next.dataset.tip);
  });
  document.addEventListener("focusout", hideTip);
  document.addEventListener("chosen", hideTip);
  for (const button of all("[data-copies]")) button.addEventListener("click", () => copy(button.dataset.copies, button));
})();
