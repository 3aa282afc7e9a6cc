// A week of a site of 1,200 pages: a menu entry on all of them, five edits, one new page, one that moved, one gone, and noise.

import assert from "node:assert/strict";
import { test } from "node:test";

import { crawl } from "../lib/recrawl.js";
import { LAPTOP, PHONE } from "../lib/browser.js";
import { browser, folder, served, site } from "../lib/world.js";

const PAGES = 1200;
const LARGEST = 150_000;

/** What the five edited pages say, before and after. */
const edits = {
  "/budget/2026-27": ["Consultants 95,000", "Consultants 195,000"],
  "/police/oversight-board": ["The board meets monthly, open to the public.", "The board meets four times a year, behind closed doors."],
  "/utilities/water": ["Lead, 90th percentile: 4.1 ppb", "Lead, 90th percentile: 11.8 ppb"],
  "/contact": ["Telephone: 503-555-0134", "Telephone: 503-555-0199"],
  "/parks/farmers-market": ["Saturdays, 9 to 2, through November 28", "Saturdays, 9 to 2, through October 31"],
};

const others = Array.from({ length: PAGES - 22 }, (_, number) => `/archive/${1900 + (number % 100)}/${number}`);

function plant(watched, week) {
  const menu = ["Home", "News", ...(week > 0 ? ["Jobs"] : [])].map((name) => `<li><a href="${name === "Jobs" ? "/jobs" : "/"}">${name}</a></li>`).join("");
  const show = (path, title, text, stamp = "") =>
    watched.html(
      path,
      title,
      `<header><nav><ul>${menu}</ul></nav></header><main><h1>${title}</h1><p>${text}</p><p>What the town of Willow Bend says of ${title}, in full.</p></main><footer>© ${2025 + week} Willow Bend${stamp}</footer>`,
    );
  const own = Object.keys(edits);
  const listed = [...own, ...others, "/housing/rental-assistance", "/parking/permit"];
  show("/", "Willow Bend", "The town.");
  watched.answer("/sitemap.xml", {
    headers: { "content-type": "application/xml" },
    body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${listed.map((path) => `<url><loc>${watched.url(path)}</loc></url>`).join("")}</urlset>`,
  });
  for (const path of own) show(path, path.split("/").at(-1), edits[path][week]);
  others.forEach((path, number) => {
    const stamp = number < 90 ? `<p>Page built 2026-11-0${week + 1} 06:0${week}:10</p>` : "";
    // On one page it stands in the content.
    const inside = number === 7 ? `</p>${stamp}<p>` : "";
    show(path, `Record ${number}`, `Minutes of meeting number ${number}.${inside}`, inside ? "" : stamp);
  });
  show("/housing/rental-assistance", "Rental assistance", "Households may apply for up to six months of rent.");
  show("/parking/permit", "Apply for a parking permit", "Bring a lease and an identity card.");
  if (week === 0) return;
  show("/jobs", "Jobs", "The town looks for a gardener.");
  watched.remove("/housing/rental-assistance");
  show("/permits/parking", "Apply for a parking permit", "Bring a lease and an identity card.");
  watched.answer("/parking/permit", { status: 301, headers: { location: "/permits/parking" } });
}

const watching = async () => {
  const watched = await site();
  const store = await folder(`[site.willow-bend]\nroot = "${watched.url()}"\n`);
  for (const week of [0, 1]) {
    plant(watched, week);
    await crawl(store, "willow-bend");
  }
  const server = await served(store);
  const { items } = await (await fetch(`${server.address}/api/v1/sites/willow-bend/crawls`)).json();
  return { watched, server, crawl: items[0].id };
};

let made;
/** The week, made once. */
const week = () => (made ??= watching());

test("a week of 1,200 pages is eight rows and two shared changes, on pages that stay small", async () => {
  const { server, crawl } = await week();
  await (await browser()).window(server, {}, async (page, window) => {
    for (const address of ["/", `/sites/willow-bend/crawls/${crawl}`]) {
      const answer = await window.go(address);
      assert.ok((await answer.text()).length < LARGEST, address);
      const rows = page.locator("li.row:not(.many)");
      const kinds = await rows.locator(".kind").allInnerTexts();
      assert.deepEqual(kinds.map((kind) => kind.replace(/\W+/g, "")).sort(), ["changed", "changed", "changed", "changed", "changed", "gone", "moved", "new"]);
      // Where the moved page leads now is no change of its own, though its menu has the new entry.
      const moved = rows.filter({ hasText: "Apply for a parking permit" });
      assert.equal(await moved.count(), 1);
      assert.match(await moved.innerText(), /now at \/permits\/parking\s+same text/);
      // The build stamps are shared, too: nobody knows yet that they come by themselves.
      assert.equal(await page.locator("li.row.many").count(), 2);
      assert.equal(await page.locator("li.row.many", { hasText: "“Jobs” added to the menu" }).count(), 1);
      for (const viewport of [LAPTOP, PHONE]) {
        await page.setViewportSize(viewport);
        if (process.env.LOOK_AT) await page.screenshot({ path: `${process.env.LOOK_AT}/${address.length}-${viewport.width}.png`, fullPage: true });
      }
      await window.check();
    }
    await page.setViewportSize(LAPTOP);
    await page.locator("li.row.many", { hasText: "Jobs" }).getByRole("link", { name: /more$/ }).click();
    await page.getByText(/The same on 1,18\d pages, in the menu/).waitFor();
    assert.ok((await page.content()).length < LARGEST);
  });
});

test("a rule says what it would hide of the whole week before it is saved", async () => {
  const { watched, server, crawl } = await week();
  const record = encodeURIComponent(watched.url(others[200]));
  await (await browser()).window(server, {}, async (page, window) => {
    await window.go(`/sites/willow-bend/diff?url=${record}&to=${crawl}`);
    const line = page.locator(".line.came", { hasText: "Jobs" }).first();
    await line.locator("xpath=ancestor::details").locator("summary").click();
    await line.hover();
    await line.getByRole("button", { name: /^Ignore line/ }).click();
    const frame = page.locator("form.pop .options label", { hasText: "Everything around the content" });
    await frame.waitFor();
    assert.match(await frame.innerText(), /would hide [\d,]+ of [\d,]+ pages that differ this time/);
    // A slow machine has read a part of the pages by then, and says so.
    const whole = page.getByRole("link", { name: "Count all pages" });
    if ((await whole.count()) > 0) {
      assert.match(await frame.innerText(), /were read, of 1,184 that differ/);
      const address = await whole.getAttribute("href");
      await page.goto(server.address + address, { timeout: 0 });
    }
    assert.match(await frame.innerText(), /hides this line on 1,184 pages, and would hide 1,178 of 1,184 pages that differ this time/);
    const rules = async () => (await (await fetch(`${server.address}/api/v1/sites/willow-bend/rules`)).json()).selectors;
    assert.deepEqual(await rules(), [], "nothing is saved by looking");
    await frame.locator("input").check();
    assert.match(await frame.innerText(), /6 stay\./);
    await page.getByRole("button", { name: "Ignore from now on" }).click();
    await page.locator(".notice.done").waitFor();
    assert.equal((await rules()).length, 1);
  });
});
