// From the first screen to a difference, and what the lists show on the way.

import assert from "node:assert/strict";
import { test } from "node:test";

import { changes } from "../lib/planted.js";
import { browser, world } from "../lib/world.js";

/** Goes to the changes of the last crawl, with all filters in sight. */
async function open(page, window, { id, crawls }) {
  await window.go(`/sites/${id}/crawls/${crawls.at(-1)}`);
  await page.getByText("By kind, path and what changed").click();
}

/** Returns the changes of the page that is shown: kind and path, in the order of paths. */
async function listed(page, site) {
  const found = await page.locator("li.change:visible").evaluateAll((items) =>
    items.map((item) => [item.querySelector(".kind").className.split(" ")[1], item.querySelector(".where a").textContent]),
  );
  const paths = found.map(([kind, address]) => [kind, address.replace(site.url("").replace(/^https:\/\//, ""), "")]);
  return paths.sort(([, one], [, other]) => (one < other ? -1 : 1));
}

async function visit(options, steps) {
  const planted = await world();
  await (await browser()).window(planted.server, options, (page, window) => steps(page, window, planted));
}

test("the first screen lists exactly what was planted", () =>
  visit({}, async (page, window, { site }) => {
    await window.go("/");
    assert.deepEqual(await listed(page, site), changes);
    assert.match(await page.locator("main").innerText(), /10 changes in \d+ pages/);
  }));

test("one comes from the first screen over the changes to the difference, by clicking", () =>
  visit({}, async (page, window, { id, crawls }) => {
    await window.go("/");
    await page.getByRole("link", { name: `Everything about ${crawls.at(-1)}` }).click();
    assert.equal(window.path, `/sites/${id}/crawls/${crawls.at(-1)}`);
    await page.getByRole("link", { name: "Parking permits", exact: true }).click();
    assert.match(window.path, /\/diff\?/);
    const difference = page.locator("table.difference");
    assert.match(await difference.innerText(), /A permit costs 55 dollars a year\./);
    assert.deepEqual(await difference.locator("del").allInnerTexts(), ["40"]);
    assert.ok((await difference.locator("ins").allInnerTexts()).includes("55"));
  }));

test("a quiet part of the history says so, and neighbours lead through it", () =>
  visit({}, async (page, window, { id, crawls, site }) => {
    await window.go(`/sites/${id}/crawls/${crawls[1]}`);
    assert.deepEqual(await listed(page, site), [["changed", "/news/bridge"]]);
    await page.getByRole("link", { name: new RegExp(`${crawls[2]} →`) }).click();
    assert.deepEqual(await listed(page, site), changes);
  }));

const only = (...kinds) => changes.filter(([kind]) => kinds.includes(kind));

test("changes are filtered by kind", () =>
  visit({}, async (page, window, planted) => {
    const { site } = planted;
    await open(page, window, planted);
    for (const kind of ["changed", "moved"]) await page.locator(`input[name=kind][value=${kind}]`).uncheck();
    await page.getByRole("button", { name: "Filter" }).click();
    await page.waitForURL(/kind=/);
    assert.deepEqual(await listed(page, site), only("new", "gone"));
    await page.getByRole("link", { name: "Show all changes" }).click();
    assert.deepEqual(await listed(page, site), changes);
  }));

test("changes are filtered by path", () =>
  visit({}, async (page, window, planted) => {
    const { site } = planted;
    await open(page, window, planted);
    await page.getByLabel("Path begins with").fill("/streets");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.waitForURL(/path=/);
    assert.deepEqual(await listed(page, site), changes.filter(([, path]) => path.startsWith("/streets")));
  }));

test("changes are filtered by text while one types, and by the server", () =>
  visit({}, async (page, window, { id, crawls, site }) => {
    await window.go(`/sites/${id}/crawls/${crawls.at(-1)}`);
    const wanted = [["new", "/news/tram"]];
    const field = page.getByLabel("Address or title has");
    await field.fill("tram line");
    assert.deepEqual(await listed(page, site), wanted);
    await field.press("Enter");
    await page.waitForURL(/q=tram/);
    assert.deepEqual(await listed(page, site), wanted);
    await field.fill("");
    assert.deepEqual(await listed(page, site), wanted, "the server sent no other");
  }));

test("without JavaScript one sees, filters and compares the same", () =>
  visit({ javaScriptEnabled: false }, async (page, window, { id, crawls }) => {
    await window.go("/");
    assert.deepEqual(await page.locator("li.change").count(), changes.length);
    await page.getByRole("link", { name: `Everything about ${crawls.at(-1)}` }).click();
    await page.getByText("By kind, path and what changed").click();
    await page.getByLabel("Path begins with").fill("/parking");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByRole("link", { name: "Parking permits", exact: true }).click();
    assert.match(await page.locator("table.difference").innerText(), /55/);
    await page.getByRole("link", { name: "Side by side" }).click();
    assert.equal(await page.locator("table.beside").count(), 1);
    assert.ok(window.path.startsWith(`/sites/${id}/diff`));
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
