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

test("keys move from edit to edit, and stop at the ends", () =>
  difference("/streets/paving", {}, async (page) => {
    const stops = page.locator("[data-stop]");
    assert.equal(await stops.count(), 3);
    const parts = [];
    for (const key of ["j", "j", "j", "j", "k", "k", "k"]) {
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

test("from a change of a list keys lead to the next one, and back to the list", () =>
  difference("/streets/paving", {}, async (page, window, { id, crawls }) => {
    const list = `/sites/${id}/crawls/${crawls.at(-1)}`;
    await window.go(list);
    await page.locator(".row a.title").first().click();
    const place = page.locator(".stepper .place");
    const [, count] = (await place.innerText()).match(/^1 of (\d+)$/);
    assert.ok(Number(count) > 2, count);
    await page.keyboard.press("n");
    await page.waitForFunction(() => document.querySelector(".stepper .place").textContent.startsWith("2 of"));
    await page.keyboard.press("p");
    await page.waitForFunction(() => document.querySelector(".stepper .place").textContent.startsWith("1 of"));
    await page.keyboard.press("s");
    await page.waitForFunction(() => document.querySelector("button.star")?.getAttribute("aria-pressed") === "true");
    await page.keyboard.press("e");
    await page.waitForFunction(() => document.querySelector(".stepper .place").textContent.startsWith("2 of"));
    await page.keyboard.press("u");
    await page.waitForURL((address) => address.pathname === list);
    assert.ok((await page.locator(".row:not(.fresh)").count()) >= 1, "the first one is seen");
  }));

test("a line is ignored by a click, in place, and its effect stands beside it", () =>
  difference("/parking/permits", {}, async (page) => {
    await page.keyboard.press("j");
    await page.keyboard.press("i");
    const choices = page.locator(".line > form.pop .options label");
    await choices.first().waitFor();
    assert.match(await choices.first().innerText(), /hides this line on \d+ pages?/);
    assert.equal(await page.locator(".pop input:checked").count(), 1);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".line > .pop").count(), 0, "nothing is saved");
  }));

test("keys are letters in a field", () =>
  difference("/news/bridge", {}, async (page, window, { id, crawls }) => {
    await window.go(`/sites/${id}/crawls/${crawls.at(-1)}`);
    await page.keyboard.press("/");
    await page.keyboard.type("jk");
    assert.equal(await page.evaluate(() => document.activeElement.value), "jk");
    assert.deepEqual(await here(page), []);
  }));

test("what did not change is folded, and unfolds without a request", () =>
  difference("/streets/paving", {}, async (page) => {
    const folds = page.locator("details.fold");
    assert.ok((await folds.count()) >= 2);
    const hidden = page.getByText(/part 10:/).first();
    assert.equal(await hidden.isVisible(), false);
    let requests = 0;
    page.on("request", () => { requests += 1; });
    for (const fold of await folds.all()) await fold.locator("summary").click();
    assert.equal(await hidden.isVisible(), true);
    assert.equal(requests, 0);
  }));

test("both versions stand beside each other", () =>
  difference("/parking/permits", {}, async (page) => {
    await page.keyboard.press("v");
    await page.waitForURL(/view=side/);
    const row = page.locator(".beside .line.pair").first();
    const [older, newer] = await row.locator(".text").allInnerTexts();
    assert.match(older, /costs 40 dollars/);
    assert.match(newer, /costs 55 dollars/);
    await page.keyboard.press("j");
    assert.equal((await here(page)).length, 1);
  }));

test("the HTML is compared on request", () =>
  difference("/visitors/trick", {}, async (page) => {
    await page.getByRole("link", { name: "HTML", exact: true }).click();
    assert.match(await page.locator(".difference").innerText(), /<b>again<\/b>/);
  }));

test("any two of three versions are compared", () =>
  difference("/news/bridge", {}, async (page, window, { crawls }) => {
    await page.getByText("Compare other versions").click();
    await page.locator("select[name=from]").selectOption(crawls[0]);
    await page.getByRole("button", { name: "Compare" }).click();
    await page.waitForURL(new RegExp(`from=${crawls[0]}(&|$)`));
    const text = await page.locator(".difference").first().innerText();
    assert.match(text, /open to everybody/);
    assert.match(text, /until Monday/);
    assert.doesNotMatch(text, /lorries/);
  }));

test("of a PDF, sizes and hashes are compared", () =>
  difference("/documents/plan.pdf", {}, async (page) => {
    assert.match(await page.locator("main").innerText(), /does not read the text of this kind of file/);
    assert.equal(await page.locator(".downloads a").count(), 2, "both versions can be saved");
    await page.getByText("for evidence").click();
    const differs = await page.locator("tr.differs th").allInnerTexts();
    assert.ok(differs.some((name) => /sha-?256|hash/i.test(name)) && differs.some((name) => /size/i.test(name)), `${differs}`);
  }));

test("the live page and captures are linked, and nobody learns who looks", () =>
  difference("/news/bridge", {}, async (page, _, { site }) => {
    const links = await page.locator('a[rel~="external"]').evaluateAll((found) => found.map((link) => [link.href, link.rel]));
    const hosts = new Set(links.map(([href]) => href).filter((href) => !href.startsWith("https://web.archive.org/")));
    assert.deepEqual([...hosts], [site.url("/news/bridge")]);
    for (const [, relation] of links) assert.match(relation, /noreferrer/);
  }));
