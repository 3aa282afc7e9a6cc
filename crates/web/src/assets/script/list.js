// Rows, and the changes of a difference: one of them is the place where one is.
const here = (() => {
  const stops = [...document.querySelectorAll("[data-stop]")];
  const items = stops.length > 0 ? stops : [...document.querySelectorAll("[data-change]")];
  let current = null;
  const shown = () => items.filter((item) => item.offsetParent !== null);
  const go = (item) => {
    if (!item) return;
    current?.classList.remove("here");
    current = item;
    current.classList.add("here");
    current.scrollIntoView({ block: "nearest" });
    const link = current.querySelector("a");
    if (link) link.focus({ preventScroll: true });
    else { current.tabIndex = -1; current.focus({ preventScroll: true }); }
  };
  const step = (by) => {
    const all = shown();
    go(all[Math.min(Math.max(all.indexOf(current) + by, 0), all.length - 1)]);
  };
  if (items.length > 0) {
    for (const key of ["j", "n"]) onKey(key, () => step(1));
    for (const key of ["k", "p"]) onKey(key, () => step(-1));
  }
  return { current: () => current, step };
})();

onKey("o", () => {
  const link = here.current()?.querySelector("a");
  if (!link) return false;
  location.assign(link.href);
});

// Filters the shown changes while one types; the form asks the server for all of them.
(() => {
  const field = document.querySelector("[data-filter]");
  if (!field) return;
  const status = document.querySelector("[data-shown]");
  field.addEventListener("input", () => {
    const text = field.value.trim().toLowerCase();
    let shown = 0;
    for (const item of document.querySelectorAll("[data-change]")) {
      item.hidden = text !== "" && !item.textContent.toLowerCase().includes(text);
      if (!item.hidden) shown += 1;
    }
    if (status) {
      status.classList.remove("only-read");
      status.textContent = text === "" ? "" : ` ${shown} of those on this page match; press Enter to look on all pages.`;
    }
  });
})();
