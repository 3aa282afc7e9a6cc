// A small site with three weeks of planted history. `changes` is the truth that pages must show.

const paragraph = (subject, from, to) =>
  Array.from({ length: to - from }, (_, index) => `<p>${subject}, part ${from + index}: surveyed, drained and marked.</p>`).join("");

const menu = [
  "/news/bridge", "/news/night-buses", "/parking/permits", "/parking/fees", "/streets/paving", "/streets/lamps",
  "/streets/old-plan", "/streets/depot", "/cycling/counts", "/cycling/repair", "/shortcut", "/visitors/trick", "/about", "/documents/plan.pdf",
];

function front(site, extra = []) {
  const links = [...menu, ...extra].map((path) => `<li><a href="${path}">${path.slice(1)}</a></li>`).join("");
  site.html("/", "Rivertown Transportation", `<h1>Rivertown Transportation</h1><p>Streets, buses and bridges.</p><ul>${links}</ul>`);
}

// Tries everything that a stored page could try: to run, to call home, to fetch from elsewhere.
function trick(site, words) {
  const call = site.url("/called-home");
  site.html(
    "/visitors/trick",
    "Trick &lt;script&gt;document.title=1&lt;/script&gt;",
    `<h1>Trick</h1><p id="proof">${words}</p><script>document.getElementById("proof").textContent="ran"; fetch("${call}?script")</script>` +
      `<img src="${call}?image" onerror="document.body.textContent='ran'"><iframe src="${call}?frame"></iframe>` +
      `<link rel="stylesheet" href="${call}?style"><form action="${call}"><button>Send</button></form>`,
  );
}

function pdf(site, words) {
  site.answer("/documents/plan.pdf", { headers: { "content-type": "application/pdf" }, body: `%PDF-1.4\n% ${words}\n%%EOF\n` });
}

/** Plants the first week. */
export function first(site) {
  front(site);
  site.html("/news/bridge", "Bridge repair", "<h1>Bridge repair</h1><p>The bridge is open to everybody.</p>");
  site.html("/news/night-buses", "Night buses", "<h1>Night buses</h1><p>Buses run until one.</p>");
  site.html("/parking/permits", "Parking permits", "<h1>Permits</h1><p>A permit costs 40 dollars a year.</p><p>Apply at the town hall.</p>");
  site.html("/parking/fees", "Parking fees", "<h1>Fees</h1><p>Two dollars an hour.</p>");
  site.html("/streets/paving", "Paving plan", `<h1>Paving</h1>${paragraph("Main Street", 1, 31)}`);
  site.html("/streets/lamps", "Street lamps", "<h1>Lamps</h1><p>Every lamp was seen to.</p>");
  site.html("/streets/old-plan", "The old plan", "<h1>The old plan</h1><p>It is kept for now.</p>");
  site.html("/streets/depot", "The depot", "<h1>The depot</h1><p>Sand and salt.</p>");
  site.html("/cycling/counts", "Cycling counts", "<h1>Counts</h1><p>Four hundred a day.</p>");
  site.html("/cycling/repair", "Repair stations", "<h1>Repair</h1><p>Pumps and tools.</p>");
  site.html("/about", "About us", "<h1>About us</h1><p>Since 1912.</p>");
  site.answer("/shortcut", { status: 302, headers: { location: "/news/bridge" } });
  trick(site, "It did nothing.");
  pdf(site, "first edition");
}

/** Plants the second week: one change. */
export function second(site) {
  site.html("/news/bridge", "Bridge repair", "<h1>Bridge repair</h1><p>The bridge is closed to lorries until Friday.</p>");
}

/** Plants the third week: everything that can happen to a page. */
export function third(site) {
  front(site, ["/news/tram"]);
  site.html("/news/bridge", "Bridge repair", "<h1>Bridge repair</h1><p>The bridge is closed to everybody until Monday.</p>");
  site.html("/news/tram", "A new tram line", "<h1>A new tram line</h1><p>It opens in spring.</p>");
  site.html("/parking/permits", "Parking permits", "<h1>Permits</h1><p>A permit costs 55 dollars a year.</p><p>Apply at the town hall or by post.</p>");
  const mended = (line) => `<p>Main Street, part ${line}: closed for a week.</p>`;
  const parts = [[1, 5], [6, 15], [16, 26], [27, 31]].map(([from, to]) => paragraph("Main Street", from, to));
  site.html("/streets/paving", "Paving plan", `<h1>Paving</h1>${parts[0]}${mended(5)}${parts[1]}${mended(15)}${parts[2]}${mended(26)}${parts[3]}`);
  site.remove("/streets/old-plan");
  site.answer("/streets/depot", { status: 301, headers: { location: "/streets/new-depot" } });
  site.html("/streets/new-depot", "The new depot", "<h1>The new depot</h1><p>Sand, salt and ploughs.</p>");
  trick(site, "It did nothing <b>again</b>.");
  pdf(site, "second edition");
}

/** What the third week changed: kind and path, in the order of paths. */
export const changes = [
  ["changed", "/"],
  ["changed", "/documents/plan.pdf"],
  ["changed", "/news/bridge"],
  ["new", "/news/tram"],
  ["changed", "/parking/permits"],
  ["moved", "/streets/depot"],
  ["new", "/streets/new-depot"],
  ["gone", "/streets/old-plan"],
  ["changed", "/streets/paving"],
  ["changed", "/visitors/trick"],
];
