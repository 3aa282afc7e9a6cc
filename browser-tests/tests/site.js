// A site, a page's history, search, and the API.

import assert from "node:assert/strict";
import { test } from "node:test";

import { browser, world } from "../lib/world.js";

async function visit(options, steps) {
  const planted = await world();
  await (await browser()).window(planted.server, options, (page, window) => steps(page, window, planted));
}

test("a site has charts, with their figures for those who do not see them", () =>
  visit({}, async (page, window, { id, crawls }) => {
    await window.go("/sites");
    await page.locator("ul.sites .name").getByRole("link", { name: id, exact: true }).click();
    assert.equal(window.path, `/sites/${id}`);
    await page.locator("summary", { hasText: "Figures" }).first().click();
    const charts = page.locator("main .chart svg");
    assert.ok((await charts.count()) >= 2, "there are charts");
    for (const chart of await charts.all()) {
      assert.ok((await chart.getAttribute("aria-hidden")) === "true" || (await chart.getAttribute("role")) === "img");
    }
    const text = await page.locator("main").innerText();
    assert.ok(text.includes("Figures"), "they are folded");
    for (const crawl of crawls) assert.equal(await page.locator(`.crawls a[title="${crawl}"]`).count(), 1, crawl);
  }));

test("the history of a page shows its versions and visits", () =>
  visit({}, async (page, window, { id, site, crawls }) => {
    await window.go(`/sites/${id}/page?url=${encodeURIComponent(site.url("/news/bridge"))}`);
    const versions = page.locator("ol.timeline .version");
    assert.equal(await versions.count(), 3);
    assert.match(await versions.first().innerText(), /changed/);
    assert.ok((await page.locator(".strip > a").count()) >= 1, "a mark leads to each version");
    assert.match(await page.locator(".inline-facts").innerText(), /Changes about every .* changes in \d+ visits/);
    await page.locator("summary", { hasText: "Visits" }).click();
    assert.deepEqual(await page.locator("main tbody th").allInnerTexts(), crawls.toReversed());
    // Any two are compared: here the first and the last.
    await page.getByLabel("Older: version 1").check();
    await page.getByRole("button", { name: "Compare" }).click();
    await page.waitForURL(/\/diff\?.*(from=.*to=|to=.*from=)/);
    await page.goBack();
    await page.getByRole("link", { name: "text of version 1" }).click();
    assert.match(await page.locator("pre.text").innerText(), /open to everybody/);
    await page.getByRole("link", { name: "Version 2 →" }).click();
    assert.match(await page.locator("pre.text").innerText(), /closed to lorries/);
  }));

test("a page that vanished is gone, and what it said is still there", () =>
  visit({}, async (page, window, { id, site }) => {
    await window.go(`/sites/${id}/page?url=${encodeURIComponent(site.url("/streets/old-plan"))}`);
    assert.match(await page.locator(".inline-facts").innerText(), /Gone \(404\)/);
    await page.getByRole("link", { name: "text of version 1" }).click();
    assert.match(await page.locator("pre.text").innerText(), /It is kept for now/);
  }));

test("a page that moved says where to", () =>
  visit({}, async (page, window, { id, crawls }) => {
    await window.go(`/sites/${id}/crawls/${crawls.at(-1)}?kind=moved`);
    assert.match(await page.locator("li.row").innerText(), /now at .*\/streets\/new-depot/);
  }));

test("search finds pages by what they say", () =>
  visit({}, async (page, window, { site }) => {
    await window.go("/search");
    await page.locator("main input[type=search]").fill("ploughs");
    await page.keyboard.press("Enter");
    await page.waitForURL(/q=ploughs/);
    assert.deepEqual(await page.locator("li.change .where").first().allInnerTexts(), [site.url("/streets/new-depot")]);
    assert.deepEqual(await page.locator("li.change mark").allInnerTexts(), ["ploughs"]);
  }));

test("the API is tried without leaving its page", () =>
  visit({}, async (page, window, { id, crawls }) => {
    await window.go("/api");
    const form = page.locator('form[data-try="/api/v1/sites/{site}/crawls"]');
    await form.locator("input[name=site]").fill(id);
    await form.getByRole("button", { name: "Try it" }).click();
    const answer = form.locator("xpath=..").locator(".answer");
    await answer.getByText(crawls[0]).waitFor();
    const body = JSON.parse((await answer.innerText()).split("\n\n").slice(1).join("\n\n"));
    assert.equal(body.items.length, crawls.length);
  }));

test("without JavaScript the API is tried by going there", () =>
  visit({ javaScriptEnabled: false }, async (page, window, { id }) => {
    await window.go("/api");
    const form = page.locator('form[data-try="/api/v1/sites/{site}/crawls"]');
    await form.getByRole("button", { name: "Try it" }).click();
    assert.equal(window.path, `/api/v1/sites/${id}/crawls`);
  }));
