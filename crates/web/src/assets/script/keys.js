// The keys. Each part of the page says what its keys do: onKey("j", act), onKey("Shift+e", act), onKey("g h", act). What is typed
// into a field is left alone, and so is a key that means something where the focus is. No key sends, accepts or deletes.
const onKey = (() => {
  const acts = new Map();
  let begun = "";
  const isTyped = (place) => place.closest("input:not([type=checkbox], [type=radio]), select, textarea");
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isTyped(event.target)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const isLetter = /^[a-z]$/i.test(event.key);
    const name = (event.shiftKey && isLetter ? "Shift+" : "") + (isLetter ? event.key.toLowerCase() : event.key);
    const act = acts.get(begun + name) || acts.get(name);
    begun = acts.has(begun + name) ? "" : [...acts.keys()].some((key) => key.startsWith(`${name} `)) ? `${name} ` : "";
    if (act && act(event) !== false) event.preventDefault();
  });
  return (name, act) => acts.set(name, act);
})();

onKey("/", () => {
  const field = document.querySelector('main input[type="search"]') || document.querySelector('input[type="search"]');
  if (!field || field.offsetParent === null) return false;
  field.focus();
  field.select();
});
onKey("g h", () => location.assign("/"));
onKey("?", () => {
  const all = document.querySelector(".all-keys");
  all.open = !all.open;
  if (!all.open) return;
  all.scrollIntoView({ block: "end" });
  all.querySelector("summary").focus({ preventScroll: true });
});
for (const link of document.querySelectorAll("[data-all-keys]")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "?", bubbles: true }));
  });
}
