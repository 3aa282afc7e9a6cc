// What somebody does with a list: the window, seen and star, all as seen, keys.

import assert from "node:assert/strict";
import { test } from "node:test";

import { crawl } from "../lib/recrawl.js";
import { until } from "../lib/waiting.js";
import { browser, folder, served, site } from "../lib/world.js";

const SIZES = [320, 390, 768, 1024, 1280, 1600];

/** A site of which three pages changed, served by a server of its own: marks stay where they are made. */
async function changed() {
  const watched = await site();
  // Each says something else: the same edit on all of them would be one shared change.
  const pages = {
    "/budget": ["Consultants cost 95,000 dollars a year.", "Consultants cost 195,000 dollars a year."],
    "/council": ["The board meets monthly in the old hall.", "The board meets behind closed doors."],
    "/parks": ["The market is open until November 28.", "The market is open until October 31."],
  };
  const plant = (week) => {
    watched.html("/", "Town", Object.keys(pages).map((path) => `<a href="${path}">${path}</a> `).join(""));
    for (const [path, weeks] of Object.entries(pages)) {
      watched.html(path, `Page ${path.slice(1)}`, `<h1>${path}</h1><p>${weeks[week]}</p>`);
    }
  };
  const store = await folder(`[site.town]\nroot = "${watched.url()}"\n`);
  for (const week of [0, 1]) {
    plant(week);
    await crawl(store, "town");
  }
  return served(store);
}

async function visit(steps, options = {}) {
  const server = await changed();
  await (await browser()).window(server, options, steps);
}

const fresh = (page) => page.locator("li.row.fresh").count();

test("a window is chosen by a link that counts, and says which it is", () =>
  visit(async (page, window) => {
    await window.go("/");
    const windows = page.getByRole("navigation", { name: "Since when" });
    assert.match(await windows.locator("[aria-current]").innerText(), /7 days\s+3/);
    await windows.getByRole("link", { name: /30 days/ }).click();
    assert.match(window.path, /since=30d/);
    assert.match(await windows.locator("[aria-current]").innerText(), /30 days\s+3/);
    assert.equal(await page.locator("li.row").count(), 3);
  }));

for (const javaScriptEnabled of [true, false]) {
  test(`a row is seen and starred ${javaScriptEnabled ? "in place" : "without JavaScript"}`, () =>
    visit(
      async (page, window) => {
        await window.go("/");
        const row = page.locator("li.row").first();
        await row.locator("button.seen").click();
        await row.locator('button.seen[aria-pressed="true"]').waitFor();
        await row.locator("button.star").click();
        await row.locator('button.star[aria-pressed="true"]').waitFor();
        assert.equal(await fresh(page), 2);
        await window.go("/?starred=true");
        assert.equal(await page.locator("li.row").count(), 1);
        await window.go("/");
        assert.equal(await fresh(page), 2, "it is kept");
        assert.match(await page.locator("header .badge").innerText(), /^2/);
      },
      { javaScriptEnabled },
    ));
}

test("keys move, mark and open, and nothing is sent by a key that asks first", () =>
  visit(async (page, window) => {
    await window.go("/");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    assert.equal(await page.locator("li.row").nth(1).getAttribute("class"), "row fresh here");
    await page.keyboard.press("e");
    await page.locator('li.row:nth-child(2) button.seen[aria-pressed="true"]').waitFor();
    await page.keyboard.press("s");
    await page.locator('li.row:nth-child(2) button.star[aria-pressed="true"]').waitFor();
    await page.keyboard.press("m");
    await page.keyboard.type("e is a letter here");
    await page.keyboard.press("Enter");
    await page.getByText("Note: e is a letter here").waitFor();
    await page.keyboard.press("?");
    assert.ok(await page.getByText("No key sends, accepts or deletes").isVisible());
    await page.keyboard.press("?");
    await page.keyboard.press("Shift+E");
    await page.getByRole("heading", { name: "Mark 2 changes as seen?" }).waitFor();
    await window.check();
    await page.getByRole("button", { name: "Mark 2 changes as seen" }).click();
    await page.getByText("All changes of this list are marked as seen.").waitFor();
    assert.equal(await fresh(page), 0);
    await page.keyboard.press("k");
    await page.keyboard.press("o");
    await page.waitForURL(/\/diff\?/);
    await page.keyboard.press("g");
    await page.keyboard.press("h");
    await page.waitForURL((url) => url.pathname === "/");
  }));

test("whoever looks at a difference for a while has seen it, and a note is written there", () =>
  visit(async (page, window) => {
    await window.go("/");
    await page.locator("li.row a.title").first().click();
    await page.waitForURL(/\/diff\?/);
    const address = window.path;
    await page.locator('button.seen[aria-pressed="true"]').waitFor();
    await window.check();
    await page.keyboard.press("m");
    await page.keyboard.type("called both numbers");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Note: called both numbers").waitFor();
    assert.equal(window.path.split("&done")[0], address, "one stays where one is");
    await page.keyboard.press("u");
    await page.waitForURL((url) => url.pathname === "/");
    assert.equal(await fresh(page), 2);
    assert.match(await page.locator("li.row").first().innerText(), /Note: called both numbers/);
  }));

test("rows of one crawl are selected by a key and marked together", () =>
  visit(async (page, window) => {
    await window.go("/");
    await page.getByRole("link", { name: "town", exact: true }).first().click();
    await page.locator('a[href*="/crawls/"]').first().click();
    await page.waitForURL(/\/crawls\//);
    for (const key of ["j", "x", "j", "x"]) await page.keyboard.press(key);
    await page.getByRole("button", { name: "Mark as seen", exact: true }).click();
    await until(async () => (await fresh(page)) === 1, "two of three are seen");
    await window.check();
  }));

test("home and lists fit from 320 to 1,600 pixels", () =>
  visit(async (page, window) => {
    for (const address of ["/", "/?since=30d&unseen=true", "/sites/town"]) {
      await window.go(address);
      for (const width of SIZES) {
        await page.setViewportSize({ width, height: 900 });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${address} is ${wide} px wide at ${width}`);
      }
    }
  }));
