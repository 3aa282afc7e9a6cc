// Makes pages more comfortable. Everything works without it.
"use strict";

document.documentElement.classList.add("scripted");

// Relative words beside times that ask for them.
(() => {
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  const units = [["year", 31557600], ["month", 2629800], ["week", 604800], ["day", 86400], ["hour", 3600], ["minute", 60]];
  for (const time of document.querySelectorAll("main time[data-ago]")) {
    const seconds = (Date.parse(time.dateTime) - Date.now()) / 1000;
    const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) || ["minute", 60];
    const relative = document.createElement("span");
    relative.className = "relative";
    relative.textContent = words.format(Math.trunc(seconds / length), unit);
    time.after(" ", relative);
  }
})();

// What a form said is not said again when the page is loaded again.
if (document.querySelector("[data-message]")) {
  const address = new URL(location.href);
  address.searchParams.delete("done");
  history.replaceState(null, "", address);
}
