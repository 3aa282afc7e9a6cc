// The keys of a difference, seen after a while, and what to ignore in place. Everything works without it.
(() => {
  const head = document.querySelector("[data-review]");
  if (!head) return;
  const edits = [...document.querySelectorAll("main [data-stop]")];
  let here = -1;

  const go = (step) => {
    const shown = edits.filter((edit) => !edit.closest("details:not([open]) > .inside"));
    if (shown.length === 0) return false;
    if (edits[here]) edits[here].classList.remove("here");
    const at = shown.indexOf(edits[here]);
    const next = shown[Math.min(Math.max(at + step, 0), shown.length - 1)];
    here = edits.indexOf(next);
    next.classList.add("here");
    next.tabIndex = -1;
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "center" });
    return true;
  };
  const follow = (selector) => () => {
    const link = document.querySelector(selector);
    if (!link) return false;
    location.assign(link.href);
    return true;
  };
  const press = (selector) => () => {
    const button = head.querySelector(selector);
    if (!button) return false;
    button.click();
    return true;
  };
  onKey("j", () => go(1));
  onKey("k", () => go(-1));
  onKey("n", follow('.stepper [rel="next"]'));
  onKey("p", follow('.stepper [rel="prev"]'));
  onKey("u", follow("[data-back]"));
  onKey("o", follow("[data-live]"));
  onKey("e", press('[data-mark="seen"] button'));
  onKey("s", press('[data-mark="star"] button'));
  onKey("v", () => {
    const views = [...head.querySelectorAll(".segments a")];
    const at = views.findIndex((view) => view.hasAttribute("aria-current"));
    const side = views.find((view) => view.textContent.trim() === "Side by side");
    const to = side && at >= 0 && views[at] === side ? views[0] : side;
    if (!to) return false;
    location.assign(to.href);
    return true;
  });
  onKey("m", () => {
    const note = head.querySelector("[data-note-form]");
    if (!note) return false;
    note.open = true;
    note.querySelector("textarea").focus();
    return true;
  });

  // A note is left with Escape.
  const note = head.querySelector("[data-note-form]");
  if (note) note.addEventListener("keydown", (event) => { if (event.key === "Escape") note.open = false; });

  // Whoever looked for three seconds has seen it.
  const seen = head.querySelector('[data-mark="seen"] button[data-seen-name][aria-pressed="false"]');
  if (seen) {
    setTimeout(() => {
      if (document.visibilityState !== "visible") return;
      const fields = new URLSearchParams(new FormData(seen.form));
      fields.set("mark", `seen ${seen.dataset.seenName}`);
      fields.set("in-place", "1");
      fetch(seen.form.action, { method: "POST", body: fields }).then((answer) => {
        if (answer.ok) seen.setAttribute("aria-pressed", "true");
      }).catch(() => {});
    }, 3000);
  }

  // What to ignore is asked beside the line.
  const form = document.getElementById("ignore");
  const close = () => {
    for (const open of document.querySelectorAll(".line > .pop")) open.remove();
    for (const button of document.querySelectorAll('.line-act[aria-expanded="true"]')) button.removeAttribute("aria-expanded");
  };
  const ask = async (button) => {
    const wasOpen = button.getAttribute("aria-expanded") === "true";
    close();
    if (wasOpen) return;
    button.setAttribute("aria-expanded", "true");
    const place = document.createElement("div");
    place.className = "pop";
    place.setAttribute("role", "status");
    place.textContent = "Stored versions are read to see what would be hidden…";
    button.closest(".line").append(place);
    const fields = new URLSearchParams(new FormData(form));
    fields.set("line", button.value);
    fields.set("fragment", "1");
    try {
      const answer = await fetch(`${form.action}?${fields}`);
      if (!place.isConnected) return;
      if (!answer.ok) {
        place.textContent = answer.status === 429 ? "Too many previews: wait a minute." : "This cannot be ignored by a click.";
        return;
      }
      const holder = document.createElement("template");
      holder.innerHTML = await answer.text();
      const shown = holder.content.firstElementChild;
      place.replaceWith(shown);
      const first = shown.querySelector("input:checked, a");
      if (first) first.focus({ preventScroll: true });
      shown.scrollIntoView({ block: "nearest" });
      const cancel = shown.querySelector("[data-close]");
      if (cancel) cancel.addEventListener("click", (event) => { event.preventDefault(); close(); button.focus(); });
      shown.addEventListener("keydown", (event) => { if (event.key === "Escape") { close(); button.focus(); } });
    } catch {
      place.textContent = "The server does not answer.";
    }
  };
  for (const button of document.querySelectorAll(".line-act")) {
    button.addEventListener("click", (event) => { event.preventDefault(); ask(button); });
  }
  onKey("i", () => {
    const line = edits[here] || edits[0];
    if (!line) return false;
    const button = line.querySelector(".line-act") || (line.nextElementSibling && line.nextElementSibling.querySelector(".line-act"));
    if (!button) return false;
    ask(button);
    return true;
  });
})();
