// Makes pages more comfortable. Everything works without it.
"use strict";

document.documentElement.classList.add("scripted");

// Relative words beside times.
(() => {
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  const units = [["year", 31557600], ["month", 2629800], ["week", 604800], ["day", 86400], ["hour", 3600], ["minute", 60]];
  for (const time of document.querySelectorAll("main time")) {
    const seconds = (Date.parse(time.dateTime) - Date.now()) / 1000;
    const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) || ["minute", 60];
    const relative = document.createElement("span");
    relative.className = "relative";
    relative.textContent = words.format(Math.round(seconds / length), unit);
    time.after(" ", relative);
  }
})();

// Keys j and n, k and p move between changes.
(() => {
  const stops = [...document.querySelectorAll("[data-stop]")];
  const items = stops.length > 0 ? stops : [...document.querySelectorAll("[data-change]")];
  let here = -1;
  const go = (step) => {
    const shown = items.filter((item) => !item.hidden);
    if (shown.length === 0) return;
    if (here >= 0 && items[here]) items[here].classList.remove("here");
    const at = shown.indexOf(items[here]);
    const next = shown[Math.min(Math.max(at + step, 0), shown.length - 1)];
    here = items.indexOf(next);
    next.classList.add("here");
    next.scrollIntoView({ block: "center" });
    const link = next.querySelector("a");
    if (link) link.focus({ preventScroll: true });
    else { next.tabIndex = -1; next.focus({ preventScroll: true }); }
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    if (event.key === "j" || event.key === "n") go(1);
    else if (event.key === "k" || event.key === "p") go(-1);
    else if (event.key === "/") {
      const field = document.querySelector('input[type="search"]');
      if (!field) return;
      event.preventDefault();
      field.focus();
    }
  });
})();

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
    for (const group of document.querySelectorAll(".group")) {
      group.hidden = !group.querySelector("[data-change]:not([hidden])");
    }
    if (status) {
      status.classList.remove("unseen");
      status.textContent = text === "" ? "" : ` ${shown} of those on this page match; press Enter to look on all pages.`;
    }
  });
})();

// Progress of an open crawl.
for (const place of document.querySelectorAll("[data-events]")) {
  const shown = place.querySelector(".progress");
  const source = new EventSource(place.dataset.events);
  source.addEventListener("progress", (event) => {
    const progress = JSON.parse(event.data);
    const parts = [];
    if (progress.done !== null) parts.push(`${progress.done} pages done`);
    if (progress.waiting !== null) parts.push(`${progress.waiting} wait`);
    if (progress.last_visit) {
      const seconds = Math.max(0, Math.round((Date.now() - Date.parse(progress.last_visit)) / 1000));
      parts.push(seconds < 120 ? `last visit ${seconds} s ago` : `last visit ${progress.last_visit.slice(0, 16).replace("T", " ")} UTC`);
    }
    const text = parts.join(", ");
    shown.textContent = text === "" ? "" : `${text[0].toUpperCase()}${text.slice(1)}.`;
  });
  source.addEventListener("closed", () => {
    source.close();
    location.reload();
  });
}

// Tries the API without leaving the page.
for (const form of document.querySelectorAll("[data-try]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    let path = form.dataset.try;
    const query = new URLSearchParams();
    for (const input of form.querySelectorAll("input[type=text]")) {
      if ("path" in input.dataset) path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
      else if (input.value) query.set(input.name, input.value);
    }
    const address = query.size > 0 ? `${path}?${query}` : path;
    const answer = form.parentElement.querySelector(".answer");
    answer.hidden = false;
    answer.textContent = `GET ${address}`;
    try {
      const response = await fetch(address);
      const body = JSON.stringify(await response.json(), null, 2);
      answer.textContent = `GET ${address}\n${response.status}\n\n${body}`;
    } catch (error) {
      answer.textContent += `\n${error}`;
    }
  });
}
