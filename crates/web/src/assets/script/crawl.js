// Progress of an open crawl. Everything is shown at once; a screen reader hears of it every half minute. Every event says
// what goes on: as soon as that is not what the page was made for, it is made anew, once a second at most.
const renew = () => setTimeout(() => location.reload(), Math.max(0, 1000 - performance.now()));

for (const place of document.querySelectorAll("[data-events]")) {
  const shown = place.querySelector(".progress");
  const bar = place.querySelector("progress");
  const whole = place.querySelector("[data-progress]");
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

  // The page of a crawl is written by the server, twice a second at most.
  let asked = 0;
  const renewPart = async () => {
    if (Date.now() - asked < 500) return;
    asked = Date.now();
    const answer = await fetch(whole.dataset.progress).catch(() => null);
    if (!answer || !answer.ok) return;
    whole.innerHTML = await answer.text();
    const title = whole.querySelector("[data-new-title]").textContent;
    document.querySelector("[data-title]").textContent = title;
    document.title = `${title} · Recrawl`;
  };

  const show = (progress) => {
    if (whole) {
      renewPart();
      return;
    }
    shown.textContent = words(progress);
    if (bar && progress.done !== null && progress.waiting !== null) {
      bar.hidden = false;
      bar.max = Math.max(1, progress.done + progress.waiting);
      bar.value = progress.done;
    }
    if (spoken && Date.now() - heard > 30000) {
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
