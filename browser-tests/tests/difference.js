// The difference of two versions.

import assert from "node:assert/strict";
import { test } from "node:test";

import { browser, world } from "../lib/world.js";

async function difference(path, options, steps) {
  const planted = await world();
  const address = `/sites/${planted.id}/diff?url=${encodeURIComponent(planted.site.url(path))}`;
  await (await browser()).window(planted.server, options, async (page, window) => {
    await window.go(address);
    await steps(page, window, planted);
  });
}

const here = (page) => page.locator(".here").evaluateAll((found) => found.map((item) => item.innerText.replace(/\s+/g, " ").trim()));

test("keys move from change to change, and stop at the ends", () =>
  difference("/streets/paving", {}, async (page) => {
    const stops = page.locator("[data-stop]");
    assert.equal(await stops.count(), 3);
    const parts = [];
    for (const key of ["j", "n", "j", "j", "k", "p", "k"]) {
      await page.keyboard.press(key);
      const [text, ...others] = await here(page);
      assert.deepEqual(others, [], "one place at a time");
      parts.push(text.match(/part (\d+)/)[1]);
      const isFocused = await page.locator(".here").evaluate((item) => item.contains(document.activeElement));
      assert.ok(isFocused, "the reader of a screen is led there, too");
    }
    assert.deepEqual(parts, ["5", "15", "26", "26", "15", "5", "5"]);
    // Scrolling takes its time, and comes to an end where it is seen.
    await page.waitForFunction(() => {
      const { top } = document.querySelector(".here").getBoundingClientRect();
      return top >= 0 && top < innerHeight;
    });
  }));

test("keys are letters in a field", () =>
  difference("/news/bridge", {}, async (page, window, { id, crawls }) => {
    await window.go(`/sites/${id}/crawls/${crawls.at(-1)}`);
    await page.keyboard.press("/");
    await page.keyboard.type("jk");
    assert.equal(await page.getByLabel("Address or title has").inputValue(), "jk");
    assert.deepEqual(await here(page), []);
  }));

test("what did not change is folded, and unfolds", () =>
  difference("/streets/paving", {}, async (page) => {
    const body = page.locator("table.difference");
    assert.ok((await body.locator(".fold").count()) >= 2);
    assert.doesNotMatch(await body.innerText(), /part 10:/);
    await page.getByRole("link", { name: "Show what did not change" }).click();
    assert.match(await body.innerText(), /part 10:/);
    assert.equal(await body.locator(".fold").count(), 0);
    await page.getByRole("link", { name: "Fold what did not change" }).click();
    assert.doesNotMatch(await body.innerText(), /part 10:/);
  }));

test("both versions stand beside each other", () =>
  difference("/parking/permits", {}, async (page) => {
    await page.getByRole("link", { name: "Side by side" }).click();
    const row = page.locator("table.beside tr[data-stop]").first();
    const [, older, , newer] = await row.locator("td").allInnerTexts();
    assert.match(older, /costs 40 dollars/);
    assert.match(newer, /costs 55 dollars/);
    await page.keyboard.press("j");
    assert.equal((await here(page)).length, 1);
  }));

test("markup is compared on request", () =>
  difference("/visitors/trick", {}, async (page) => {
    await page.getByRole("link", { name: "Markup" }).click();
    assert.match(await page.locator("table.difference").innerText(), /<b>again<\/b>/);
  }));

test("any two of three versions are compared", () =>
  difference("/news/bridge", {}, async (page, window, { crawls }) => {
    await page.locator("select[name=from]").selectOption(crawls[0]);
    await page.getByRole("button", { name: "Compare" }).click();
    await page.waitForURL(new RegExp(`from=${crawls[0]}(&|$)`));
    const text = await page.locator("table.difference").innerText();
    assert.match(text, /open to everybody/);
    assert.match(text, /until Monday/);
    assert.doesNotMatch(text, /lorries/);
  }));

test("of a PDF, sizes and hashes are compared", () =>
  difference("/documents/plan.pdf", {}, async (page) => {
    assert.match(await page.locator("main").innerText(), /no page with a text/);
    const differs = await page.locator("tr.differs th").allInnerTexts();
    assert.ok(differs.some((name) => /sha-?256|hash/i.test(name)) && differs.some((name) => /size/i.test(name)), `${differs}`);
  }));

test("the live page and captures are linked, and nobody learns who looks", () =>
  difference("/news/bridge", {}, async (page, _, { site }) => {
    const links = await page.locator('a[rel~="external"]').evaluateAll((found) => found.map((link) => [link.href, link.rel]));
    assert.deepEqual(links.map(([href]) => href), [site.url("/news/bridge"), `https://web.archive.org/web/*/${site.url("/news/bridge")}`]);
    for (const [, relation] of links) assert.match(relation, /noreferrer/);
  }));
