// From the first screen to a difference, and what the lists show on the way.

import assert from "node:assert/strict";
import { test } from "node:test";

import { changes } from "../lib/planted.js";
import { browser, world } from "../lib/world.js";

/** Returns the changes of the page that is shown: kind and path, in the order of paths. */
async function listed(page) {
  const found = await page.locator("li.row:not(.many):visible").evaluateAll((items) =>
    items.map((item) => [
      item.querySelector(".kind").className.split(" ")[1],
      item.querySelector(".path").textContent.split(" · ").find((part) => part.startsWith("/")),
    ]),
  );
  return found.sort(([, one], [, other]) => (one < other ? -1 : 1));
}

async function visit(options, steps) {
  const planted = await world();
  await (await browser()).window(planted.server, options, (page, window) => steps(page, window, planted));
}

test("the first screen lists exactly what was planted", () =>
  visit({}, async (page, window) => {
    await window.go("/");
    assert.deepEqual(await listed(page), changes);
    assert.match(await page.locator("ul.sites").innerText(), /10 changes in \d+ pages: 2 new, 6 changed, 1 moved, 1 gone/);
  }));

test("one comes from the first screen over the changes to the difference, by clicking", () =>
  visit({}, async (page, window, { id, crawls }) => {
    await window.go(`/sites/${id}`);
    await page.locator(`a[href="/sites/${id}/crawls/${crawls.at(-1)}"]`).first().click();
    assert.match(await page.locator("h1").innerText(), /^rivertown: 10 changes, \d+ \w+, \d\d:\d\d$/);
    await page.getByRole("link", { name: "Parking permits", exact: true }).click();
    assert.match(window.path, /\/diff\?.*list=/);
    const difference = page.locator(".difference");
    assert.match(await difference.innerText(), /A permit costs 55 dollars a year\./);
    assert.ok((await difference.locator("del").allInnerTexts()).includes("40"));
    assert.ok((await difference.locator("ins").allInnerTexts()).includes("55"));
  }));

test("a quiet part of the history says so, and neighbours lead through it", () =>
  visit({}, async (page, window, { id, crawls }) => {
    await window.go(`/sites/${id}/crawls/${crawls[1]}`);
    assert.deepEqual(await listed(page), [["changed", "/news/bridge"]]);
    await page.locator('a[rel="next"]').first().click();
    assert.deepEqual(await listed(page), changes);
  }));

const only = (...kinds) => changes.filter(([kind]) => kinds.includes(kind));

/** Goes to the changes of the last crawl. */
const open = (window, { id, crawls }) => window.go(`/sites/${id}/crawls/${crawls.at(-1)}`);

test("changes are chosen by kind, with chips that count", () =>
  visit({}, async (page, window, planted) => {
    await open(window, planted);
    const chips = page.getByRole("navigation", { name: "Kind" });
    for (const kind of ["new", "moved", "gone", "changed"]) {
      const expected = only(kind);
      await chips.getByRole("link", { name: `${kind} ${expected.length}` }).click();
      assert.deepEqual(await listed(page), expected);
    }
    await chips.getByRole("link", { name: "All 10" }).click();
    assert.deepEqual(await listed(page), changes);
  }));

test("changes are filtered by path, and put in order", () =>
  visit({}, async (page, window, planted) => {
    await open(window, planted);
    await page.getByLabel("Path", { exact: true }).fill("/streets");
    await page.getByLabel("Order", { exact: true }).selectOption("path");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.waitForURL(/path=.*sort=path/);
    assert.deepEqual(await listed(page), changes.filter(([, path]) => path.startsWith("/streets")));
  }));

test("changes are filtered by words while one types, and by the server", () =>
  visit({}, async (page, window, planted) => {
    await open(window, planted);
    const wanted = [["new", "/news/tram"]];
    const field = page.getByLabel("Words", { exact: true });
    await field.fill("tram line");
    assert.deepEqual(await listed(page), wanted);
    await field.press("Enter");
    await page.waitForURL(/words=tram/);
    assert.deepEqual(await listed(page), wanted);
    await page.getByLabel("Which words").selectOption("went");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByText("No change matches.").waitFor();
    await page.getByRole("link", { name: "Show all changes" }).click();
    assert.deepEqual(await listed(page), changes);
  }));

test("without JavaScript one sees, filters and compares the same", () =>
  visit({ javaScriptEnabled: false }, async (page, window, planted) => {
    await window.go("/");
    assert.deepEqual(await listed(page), changes);
    await open(window, planted);
    await page.getByLabel("Path", { exact: true }).fill("/parking");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByRole("link", { name: "Parking permits", exact: true }).click();
    assert.match(await page.locator(".difference").innerText(), /55/);
    await page.getByRole("link", { name: "Side by side" }).click();
    assert.match(page.url(), /view=side/);
  }));

test("every link of every page leads somewhere", async () => {
  const { server } = await world();
  const [waiting, seen, broken] = [["/"], new Set(["/"]), []];
  while (waiting.length > 0) {
    const path = waiting.shift();
    const response = await fetch(server.address + path, { redirect: "manual" });
    if (response.status >= 400) broken.push(`${response.status} ${path}`);
    const type = response.headers.get("content-type") ?? "";
    const text = await response.text();
    if (!type.startsWith("text/html") || /^\/(stored|memento)\//.test(path)) continue;
    for (const [, address] of text.matchAll(/(?:href|src)="(\/[^"]*)"/g)) {
      const next = address.replaceAll("&amp;", "&").split("#")[0];
      if (!seen.has(next)) waiting.push(next);
      seen.add(next);
    }
  }
  assert.deepEqual(broken, []);
  assert.ok(seen.size > 60, `only ${seen.size} addresses were found`);
});
