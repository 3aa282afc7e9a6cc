// An unusual crawl: the report, and what comes of each of its three decisions.

import assert from "node:assert/strict";
import { test } from "node:test";

import { crawl } from "../lib/recrawl.js";
import { until } from "../lib/waiting.js";
import { browser, folder, served, site } from "../lib/world.js";

const PAGES = 20;
const LOST = 8;
const NOTICE = "Live data is being updated. Please check back soon.";
const path = (number) => `/permits/${number}`;

function plant(watched, { edited = false, lost = false } = {}) {
  const links = Array.from({ length: PAGES }, (_, number) => `<a href="${path(number)}">Permit ${number}</a> `).join("");
  watched.html("/", "Permit office", `<h1>Permit office</h1>${links}`);
  for (let number = 0; number < PAGES; number += 1) {
    const lines = Array.from({ length: 12 }, (_, line) => `<p>Permit ${number} has a rule ${line} that whoever asks for permit ${number} must know.</p>`).join("");
    const news = number === 15 && edited ? "<p>From January on, permit fifteen is free of charge for everybody.</p>" : "";
    watched.html(path(number), `Permit ${number}`, `<h1>Permit ${number}</h1>${lines}${news}`);
    if (lost && number < LOST) watched.answer(path(number), { body: `<html><body><p>${NOTICE}</p></body></html>` });
  }
}

/** A site of which a crawl found eight pages without their text, and one that was really edited. */
async function doubted() {
  const watched = await site();
  const told = await site();
  told.answer("/hook", { body: "taken" });
  const store = await folder(`[site.office]\nroot = "${watched.url()}"\n\n[notify.team]\nkind = "webhook"\nurl = "${told.url("/hook")}"\n`);
  plant(watched);
  await crawl(store, "office");
  plant(watched, { lost: true, edited: true });
  await crawl(store, "office", 4);
  const server = await served(store);
  const crawls = async () => (await (await fetch(`${server.address}/api/v1/sites/office/crawls`)).json()).items;
  const report = `/sites/office/crawls/${(await crawls())[0].id}`;
  return { watched, told, store, server, crawls, report };
}

async function visit(world, steps) {
  await (await browser()).window(world.server, {}, (page, window) => steps(page, window, world));
}

const text = (page) => page.locator("main").innerText();

test("an unusual crawl is a report: where, what instead, that it was asked again, and what else changed", async () => {
  await visit(await doubted(), async (page, window, { report }) => {
    await window.go("/");
    await page.getByRole("link", { name: "Review office" }).click();
    assert.equal(window.path, report);
    const shown = await text(page);
    assert.match(shown, /Nothing was sent or archived yet/);
    assert.match(await page.locator(".report table").innerText(), new RegExp(`permits.*\\b${PAGES}\\b.*\\b${LOST}\\b`, "s"));
    assert.match(shown, new RegExp(`the same on ${LOST} pages`));
    assert.match(shown, /asked again at the end of the crawl, and said the same/);
    assert.ok(shown.includes(NOTICE));
    assert.match(shown, /What else changed: 1 change/);
    // Each decision stands beside what it comes to.
    assert.match(shown, new RegExp(`the ${LOST} pages that show it count as unchanged`));
    assert.match(shown, /1 change go(es)? to team/);
    await window.check();
  });
});

test("an outage: the pages that show its line tell nothing, what else changed is told", async () => {
  await visit(await doubted(), async (page, window, { report, crawls }) => {
    await window.go(report);
    await page.getByRole("button", { name: "It is an outage" }).click();
    await page.locator(".notice.done").waitFor();
    assert.notEqual((await crawls())[0].state, "suspect");
    await window.go("/?since=7d");
    const rows = page.locator("li.row");
    assert.equal(await rows.count(), 1);
    assert.match(await rows.first().innerText(), /Permit 15/);
    await window.go("/sites/office/rules");
    await window.check();
  });
});

test("accepted: everything that was found counts, and is in the list", async () => {
  await visit(await doubted(), async (page, window, { report, crawls, told }) => {
    await window.go("/?since=7d");
    assert.equal(await page.locator("li.row").count(), 0, "nothing counts before");
    const before = told.requests.length;
    await window.go(report);
    await page.getByRole("button", { name: /Accept and notify \d+ changes?/ }).click();
    await page.getByText("The findings are accepted").first().waitFor();
    assert.equal((await crawls())[0].state, "accepted");
    await window.go("/?since=7d");
    assert.match(await page.locator("main").innerText(), /Permit 15/);
    await until(() => told.requests.length > before, "whoever is to be told is told");
  });
});

test("left alone: nothing is sent, and the next whole crawl that finds the same confirms it", async () => {
  await visit(await doubted(), async (page, window, { report, crawls, store, told }) => {
    // That it is unusual was told.
    const before = told.requests.length;
    await window.go(report);
    await page.getByRole("link", { name: "Leave it" }).click();
    assert.equal(window.path, "/sites/office");
    assert.equal(told.requests.length, before);
    assert.equal((await crawls())[0].state, "suspect", "nothing was decided");
    await crawl(store, "office");
    assert.equal((await crawls())[0].state, "complete");
    assert.ok(told.requests.length > before, "whatever the next one finds is told");
    await window.go("/?since=7d");
    assert.match(await text(page), /Permit 15/);
    await window.go("/");
    assert.equal(await page.getByRole("link", { name: "Review office" }).count(), 0);
  });
});
