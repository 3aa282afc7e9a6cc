// Since when: a window over crawls and sites, however much the last crawl saw.

import assert from "node:assert/strict";
import { test } from "node:test";

import { crawl, run } from "../lib/recrawl.js";
import { visit } from "../lib/small.js";
import { folder, served, site } from "../lib/world.js";

/** What six pages say, week by week: each is edited once, and each edit is another one. */
const SAID = [
  ["The bridge is open.", "The bridge is closed to lorries."],
  ["The hall opens at nine.", "The hall opens at eleven."],
  ["A permit costs 40 dollars.", "A permit costs 55 dollars."],
  ["Buses run until one.", "Buses run until midnight."],
  ["The pool is heated.", "The pool is empty for repairs."],
  ["Dogs are welcome.", "Dogs stay outside."],
];

function plant(watched, week) {
  watched.html("/", "Town", SAID.map((_, number) => `<a href="/${number}">Page ${number}</a> `).join(""));
  SAID.forEach((said, number) => watched.html(`/${number}`, `Page ${number}`, `<h1>Page ${number}</h1><p>${said[week]}</p>`));
}

/** Towns of each of which a whole crawl found six edits. */
async function edited(...names) {
  const towns = await Promise.all(names.map(async (name) => ({ name, watched: await site() })));
  const store = await folder(towns.map(({ name, watched }) => `[site.${name}]\nroot = "${watched.url()}"\n`).join("\n"));
  for (const week of [0, 1]) {
    for (const { name, watched } of towns) {
      plant(watched, week);
      await crawl(store, name);
    }
  }
  return { watched: towns[0].watched, store };
}

const rows = (page) => page.locator("li.row a.title").allInnerTexts();

for (const [name, options] of [["that reads only what is due", ["--due"]], ["that a budget ended", ["--budget", "2"]]]) {
  test(`a crawl ${name} hides nothing that the one before found`, async () => {
    const { watched, store } = await edited("town");
    watched.html("/0", "Page 0", "<h1>Page 0</h1><p>The bridge is gone.</p>");
    const { status, errors } = await run(store, "crawl", "town", "--quiet", ...options);
    assert.equal(status, 0, errors);
    await visit(await served(store), async (page, window) => {
      await window.go("/");
      const line = await page.locator("ul.sites > li").innerText();
      assert.match(line, /6 unseen/);
      assert.doesNotMatch(line, /quiet|nothing changed/i);
      assert.equal((await rows(page)).length, 6);
      const windows = page.getByRole("navigation", { name: "Since when" });
      assert.match(await windows.locator("[aria-current]").innerText(), /7 days\s+6/);
      await window.go("/sites/town");
      assert.match(await page.locator("#news").innerText(), /This week: 6 changes/);
      await window.check();
    });
  });
}

test("a window is over all sites, between any two days, and below a path", async () => {
  const { store } = await edited("town", "village");
  await visit(await served(store), async (page, window) => {
    await window.go("/");
    assert.equal((await rows(page)).length, 12);
    assert.equal(await page.locator("ul.sites > li").count(), 2);
    await window.go("/?since=7d&site=village");
    assert.equal((await rows(page)).length, 6);
    await window.go("/?since=7d&path=/3");
    assert.deepEqual(await rows(page), ["Page 3", "Page 3"]);
    await window.go("/?since=2020-01-01&until=2020-12-31");
    assert.deepEqual(await rows(page), []);
    assert.match(await page.locator("main").innerText(), /from 1 January 2020 to 31 December 2020/);
    await window.check();
  });
});

test("a page that changed twice in a window is one row, with what it says now", async () => {
  const { watched, store } = await edited("town");
  watched.html("/1", "Page 1", "<h1>Page 1</h1><p>The hall is being sold.</p>");
  await crawl(store, "town");
  await visit(await served(store), async (page, window) => {
    await window.go("/");
    assert.equal((await rows(page)).length, 6);
    const row = page.locator("li.row", { hasText: "Page 1" });
    assert.match(await row.innerText(), /being sold/);
    // Review goes through all of the window, also what earlier crawls found.
    await row.locator("a.title").click();
    assert.match(await page.locator(".stepper .place").innerText(), /of 6$/);
  });
});
