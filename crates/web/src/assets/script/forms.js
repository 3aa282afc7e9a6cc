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

// The first look at an address that is typed in goes on by itself.
for (const form of document.querySelectorAll("[data-look]")) {
  const place = form.querySelector("[data-looked]");
  const root = form.elements.root;
  let timer = 0;
  let turn = 0;
  const look = async (step, mine) => {
    const fields = new URLSearchParams(new FormData(form));
    fields.set("step", step);
    fields.set("fragment", "yes");
    let wait = 1000;
    try {
      const response = await fetch(form.action, { method: "POST", body: fields });
      if (mine !== turn) return;
      if (response.ok) place.innerHTML = await response.text();
      else if (response.status === 429) wait = 15000;
      else place.textContent = "No look: reload the page.";
    } catch {
      if (mine === turn) place.textContent = "No look: the server does not answer.";
      return;
    }
    if (place.querySelector("[data-goes-on]")) timer = setTimeout(() => look("again", mine), wait);
  };
  const begin = () => {
    clearTimeout(timer);
    turn += 1;
    const mine = turn;
    if (root.value !== "" && root.validity.valid && root.value.includes(".")) timer = setTimeout(() => look("look", mine), 900);
  };
  root.addEventListener("input", begin);
  if (place.querySelector("[data-goes-on]")) timer = setTimeout(() => look("again", turn), 1000);
  else if (!place.querySelector(".checks")) begin();
}

// Of two versions, the older one is the older one.
for (const button of document.querySelectorAll("[data-compare]")) {
  onKey("c", () => button.form.requestSubmit(button));
}
