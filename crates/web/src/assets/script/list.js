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
    onKey("j", () => step(1));
    onKey("k", () => step(-1));
  }
  if (items.length > 0 && stops.length === 0) {
    onKey("n", () => step(1));
    onKey("p", () => step(-1));
  }
  return { current: () => current, step };
})();

// What people do with rows is done in place: the button says afterwards what it would do next.
(() => {
  const form = document.getElementById("marks");
  const isList = document.querySelector("li[data-change]") !== null;
  const opposite = { seen: "unseen", unseen: "seen", star: "unstar", unstar: "star" };
  const failed = (row, text) => {
    const said = row.querySelector(".failure") || row.appendChild(Object.assign(document.createElement("span"), { className: "note failure" }));
    said.textContent = text;
  };
  const send = async (row, fields) => {
    const body = new URLSearchParams(new FormData(form));
    for (const field of ["change", "mark", "all"]) body.delete(field);
    body.set("in-place", "1");
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    try {
      const response = await fetch(form.action, { method: "POST", body });
      if (response.ok) return true;
      failed(row, response.status === 403 ? "Not saved: reload the page." : "Not saved.");
    } catch {
      failed(row, "Not saved: the server does not answer.");
    }
    return false;
  };
  const count = (by) => {
    for (const place of document.querySelectorAll("[data-unseen]")) {
      place.textContent = new Intl.NumberFormat("en").format(Math.max(0, Number(place.textContent.replaceAll(",", "")) + by));
    }
  };
  const press = async (button) => {
    const row = button.closest("[data-change]");
    const [act, ...name] = button.value.split(" ");
    if (!(await send(row, { mark: button.value }))) return;
    button.value = [opposite[act], ...name].join(" ");
    button.setAttribute("aria-pressed", String(act === "seen" || act === "star"));
    if (act !== "seen" && act !== "unseen") return;
    button.querySelector("use").setAttribute("href", act === "seen" ? "#i-check" : "#i-ring");
    row.classList.toggle("fresh", act === "unseen");
    count(act === "seen" ? -1 : 1);
  };
  const write = (row) => {
    const name = row.querySelector("button.seen").value.split(" ").slice(1).join(" ");
    const told = row.querySelector("[data-note]");
    const place = row.querySelector(".note") || row.appendChild(Object.assign(document.createElement("span"), { className: "note" }));
    const field = Object.assign(document.createElement("input"), { value: told ? told.textContent : "", maxLength: 1000 });
    field.setAttribute("aria-label", "Note");
    place.replaceChildren(field);
    field.focus();
    const show = (text) => {
      const shown = Object.assign(document.createElement("span"), { textContent: text, dir: "auto" });
      shown.dataset.note = "";
      if (text === "") place.remove();
      else place.replaceChildren("Note: ", shown);
      row.querySelector("a").focus({ preventScroll: true });
    };
    field.addEventListener("keydown", async (event) => {
      event.stopPropagation();
      if (event.key === "Escape") show(told ? told.textContent : "");
      if (event.key !== "Enter") return;
      event.preventDefault();
      const text = field.value.trim();
      if (await send(row, { "note-of": name, note: text })) show(text);
    });
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest('li[data-change] button[name="mark"]');
    if (!button) return;
    event.preventDefault();
    press(button);
  });
  if (!isList) return;
  const onRow = (key, find) => onKey(key, () => {
    const row = here.current();
    const found = row && find(row);
    if (!found) return false;
  });
  const button = (kind) => (row) => {
    const found = row.querySelector(`button.${kind}`);
    if (found) press(found);
    return found;
  };
  onRow("e", button("seen"));
  onRow("s", button("star"));
  onRow("m", (row) => row.querySelector("button.seen") && (write(row), true));
  onRow("x", (row) => {
    const box = row.querySelector('input[name="change"]');
    if (box) box.checked = !box.checked;
    return box;
  });
  // What is asked first stands on a page of its own.
  onKey("Shift+e", () => {
    const link = document.querySelector('[data-key="Shift+e"]');
    if (!link) return false;
    location.assign(link.href);
  });
  onKey("o", () => {
    const link = here.current()?.querySelector("a");
    if (!link) return false;
    location.assign(link.href);
  });
  onKey("u", () => history.back());
})();

// Filters the shown changes while one types; the form asks the server for all of them.
(() => {
  const field = document.querySelector("[data-filter]");
  if (!field) return;
  const status = document.querySelector("[data-shown]");
  field.addEventListener("input", () => {
    const text = field.value.trim().toLowerCase();
    // As the server reads it: words, or an expression; half of one is taken as it stands.
    let isIn = (words) => words.includes(text);
    try {
      const expression = new RegExp(text, "i");
      isIn = (words) => expression.test(words);
    } catch {}
    let shown = 0;
    for (const item of document.querySelectorAll("[data-change]")) {
      item.hidden = text !== "" && !isIn(item.textContent.toLowerCase());
      if (!item.hidden) shown += 1;
    }
    if (status) {
      status.classList.remove("only-read");
      status.textContent = text === "" ? "" : ` ${shown} of those on this page match; press Enter to look on all pages.`;
    }
  });
})();
