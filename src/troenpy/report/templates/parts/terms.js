// What all lists of terms share: the address of a term, links to it, and the order of what a search finds.
parts.terms = (() => {
  const address = (term) => `#term=${encodeURIComponent(term)}`;
  const link = (term) => {
    const element = parts.make("a", term, { class: "term", dir: "auto" });
    element.href = address(term);
    return element;
  };
  // What the address of the page names, such as a term; null if it names something else.
  const addressed = (what = "term") => {
    const start = `#${what}=`;
    if (!location.hash.startsWith(start)) return null;
    const text = location.hash.slice(start.length);
    try {
      return decodeURIComponent(text);
    } catch {
      return text; // a typed address that is not encoded is taken as it is
    }
  };
  // Split sorted places of terms that contain what was typed: those that are equal to it, begin with it, and others.
  const ranked = (lower, typed, found) => {
    const exact = found.filter((place) => lower[place] === typed);
    const starts = found.filter((place) => lower[place] !== typed && lower[place].startsWith(typed));
    return { exact, all: [...exact, ...starts, ...found.filter((place) => !lower[place].startsWith(typed))] };
  };
  return { address, link, addressed, ranked };
})();
