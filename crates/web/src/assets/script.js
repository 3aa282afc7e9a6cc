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
      const field = document.querySelector('main input[type="search"]') || document.querySelector('input[type="search"]');
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

// What a form said is not said again when the page is loaded again.
if (document.querySelector("[data-message]")) {
  const address = new URL(location.href);
  address.searchParams.delete("done");
  history.replaceState(null, "", address);
}

// Progress of an open crawl. Everything is shown at once; a screen reader hears of it every half minute. Every event says
// what goes on: as soon as that is not what the page was made for, it is made anew, once a second at most.
const renew = () => setTimeout(() => location.reload(), Math.max(0, 1000 - performance.now()));

for (const place of document.querySelectorAll("[data-events]")) {
  const shown = place.querySelector(".progress");
  const bar = place.querySelector("progress");
  const spoken = place.querySelector("[data-spoken]");
  const number = new Intl.NumberFormat("en");
  let heard = 0;
  let pause = 1000;

  const words = (progress) => {
    const parts = [];
    if (progress.done !== null) parts.push(`${number.format(progress.done)} page${progress.done === 1 ? "" : "s"} done`);
    if (progress.waiting !== null) parts.push(`${number.format(progress.waiting)} waiting`);
    if (progress.done === null && progress.last_visit) {
      const seconds = Math.max(0, Math.round((Date.now() - Date.parse(progress.last_visit)) / 1000));
      parts.push(seconds < 120 ? `Last visit ${seconds} s ago` : `Last visit ${progress.last_visit.slice(0, 16).replace("T", " ")} UTC`);
    }
    const found = progress.found;
    const text = parts.length > 0 ? `${parts.join(", ")}.` : "";
    return found === null ? text : `${text} Found so far: ${found.new} new, ${found.changed} changed, ${found.gone} gone, ${found.failed} failed.`;
  };

  const show = (progress) => {
    shown.textContent = words(progress);
    if (progress.done !== null && progress.waiting !== null) {
      bar.hidden = false;
      bar.max = Math.max(1, progress.done + progress.waiting);
      bar.value = progress.done;
    }
    if (Date.now() - heard > 30000) {
      heard = Date.now();
      spoken.textContent = shown.textContent;
    }
  };

  const listen = () => {
    const source = new EventSource(place.dataset.events);
    const hear = (event) => {
      const told = JSON.parse(event.data);
      if (told.activity !== null && told.activity !== place.dataset.activity) {
        source.close();
        renew();
      } else if (event.type === "progress") {
        show(told);
      } else if (event.type === "rest") {
        source.close();
        setTimeout(listen, pause);
        pause = Math.min(pause * 2, 15000);
      }
    };
    for (const name of ["activity", "progress", "closed", "rest"]) source.addEventListener(name, hear);
  };
  listen();
}

// Of a schedule, only the fields that matter are shown.
for (const choice of document.querySelectorAll("[data-often]")) {
  const fields = choice.form.querySelectorAll("[data-for]");
  const show = () => {
    for (const field of fields) field.hidden = !field.dataset.for.split(" ").includes(choice.value);
  };
  choice.addEventListener("change", show);
  show();
}

// Whoever chooses a time for the first time means the clock on the wall.
for (const field of document.querySelectorAll("[data-own-zone]")) {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  if ([...field.list.options].some((option) => option.value === own)) field.value = own;
}

// Shows what rules do while they are typed.
for (const form of document.querySelectorAll("[data-preview]")) {
  const place = document.getElementById(form.dataset.preview);
  let timer = 0;
  let latest = 0;
  const preview = async () => {
    latest += 1;
    const turn = latest;
    const fields = new URLSearchParams(new FormData(form));
    fields.set("step", "fragment");
    place.setAttribute("aria-busy", "true");
    try {
      const response = await fetch(form.action, { method: "POST", body: fields });
      if (turn !== latest) return;
      if (response.ok) place.innerHTML = await response.text();
      else place.textContent = response.status === 429 ? "Too many previews: wait a minute." : "No preview: reload the page.";
    } catch {
      if (turn === latest) place.textContent = "No preview: the server does not answer.";
    }
    place.removeAttribute("aria-busy");
  };
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(preview, 600);
  });
}

// Tries the API without leaving the page.
for (const form of document.querySelectorAll("[data-try]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { method, token, tokenHeader } = form.dataset;
    let path = form.dataset.try;
    const query = new URLSearchParams();
    for (const input of form.querySelectorAll("input[type=text]")) {
      if ("path" in input.dataset) path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
      else if (input.value) query.set(input.name, input.value);
    }
    const address = query.size > 0 ? `${path}?${query}` : path;
    const request = { method, headers: {} };
    if (token) {
      request.headers[tokenHeader] = token;
      request.headers["Content-Type"] = "application/json";
      const body = form.querySelector("[data-body]");
      if (body) request.body = body.value;
    }
    const answer = form.parentElement.querySelector(".answer");
    answer.hidden = false;
    answer.textContent = `${method} ${address}`;
    try {
      const response = await fetch(address, request);
      const text = await response.text();
      const body = text === "" ? "" : JSON.stringify(JSON.parse(text), null, 2);
      answer.textContent = `${method} ${address}\n${response.status}\n\n${body}`;
    } catch (error) {
      answer.textContent += `\n${error}`;
    }
  });
}
