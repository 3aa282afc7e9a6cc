// Where a site stands, said honestly: why it could not be read, and what a crawl that saw little does not prove.

import assert from "node:assert/strict";
import { test } from "node:test";

import { crawl, run } from "../lib/recrawl.js";
import { ended, known, small, visit } from "../lib/small.js";
import { folder, served, site } from "../lib/world.js";

// A host in trouble is asked again soon, or the test would take a minute.
const SOON = "back-off = 0.01";

const HTML = { "content-type": "text/html; charset=utf-8" };
const SCRIPTED = `<!doctype html><html><head><title>App</title><script src="/app.js"></script></head><body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div></body></html>`;
const ROBOT = `<!doctype html><html><head><title>One moment</title></head><body><p>Please verify you are human.</p></body></html>`;

/** What keeps a site from being read: what its pages answer, and the mark, sentence, evidence and button of its card. */
const troubles = {
  "a password": { answer: { status: 401 }, mark: "failed", happened: /asks for a password \(401\)/, button: "Watch another address" },
  "a refusal": { answer: { status: 403 }, mark: "forbidden", happened: /forbidden to Recrawl \(403\)/, button: "Try again" },
  "no first page": { answer: { status: 404 }, mark: "failed", happened: /is not there \(404\)/, button: "Watch another address" },
  "a first page that leads to itself": {
    answer: { status: 302, headers: { location: "/" } }, mark: "failed", happened: /redirects to itself/, button: "Watch another address",
  },
  "a form to sign in": {
    answer: { status: 302, headers: { location: "/login" } }, mark: "failed", happened: /leads to a sign-in form \(\/login\)/, button: "Watch another address",
  },
  "an error of the server": { answer: { status: 500 }, mark: "failed", happened: /could not be read \(status 500/, button: "Try again" },
  "a captcha": { answer: { body: ROBOT }, mark: "blocked", happened: /ask(s)? whether you are a robot/, button: "Try again" },
  "a text made by scripts": {
    answer: { body: SCRIPTED }, everywhere: true, mark: "cannot read", happened: /next to no text without JavaScript/, button: "Watch another address",
  },
  "robots.txt": {
    robots: "User-agent: *\nDisallow: /\n", mark: "forbidden", happened: /robots\.txt forbids the first page/, button: "Try again",
  },
};

/** Lets a site answer as a trouble says. */
function trouble(watched, paths, { answer, everywhere, robots }) {
  if (robots) watched.answer("/robots.txt", { headers: { "content-type": "text/plain" }, body: robots });
  if (!answer) return;
  const { status, headers, body = "<h1>No</h1>" } = answer;
  for (const path of ["/", ...(everywhere ? ["/news", ...paths] : [])]) {
    watched.answer(path, { status, headers: { ...HTML, ...headers }, body });
  }
}

/** Fails if a page says of a site that could not be read that it is well. */
async function tellsNoLie(page) {
  const shown = (await page.locator("main").innerText()).toLowerCase();
  for (const lie of ["nothing changed", "quiet", "now gone"]) assert.ok(!shown.includes(lie), `it says ${lie}:\n${shown}`);
}

for (const [name, { mark, happened, button, ...what }] of Object.entries(troubles)) {
  test(`what keeps a site from being read has a card: ${name}`, async () => {
    const { watched, paths, server } = await known(1, { settings: SOON });
    trouble(watched, paths, what);
    await visit(server, async (page, window) => {
      await window.go("/sites/small");
      await page.getByRole("button", { name: "Crawl now" }).click();
      const card = page.locator(".card.trouble");
      await card.waitFor();
      assert.equal((await card.locator(".state").innerText()).trim(), mark);
      assert.match(await card.locator(".happened").innerText(), happened);
      assert.match(await card.locator(".evidence").innerText(), /Last read on .*: 3 pages, kept\./);
      assert.ok((await card.locator(".acts :is(button, a)").first().innerText()).includes(button));
      await tellsNoLie(page);
      await window.check();

      await window.go("/");
      const line = page.locator("ul.sites > li");
      assert.equal((await line.locator(".state").innerText()).trim(), mark);
      assert.match(await line.locator(".what").innerText(), happened);
      await tellsNoLie(page);
      assert.match(await page.locator("main .lead").first().innerText(), /1 site needs a look/);
      await line.getByRole("link", { name: "What to do small" }).click();
      await card.waitFor();
    });
  });
}

test("a first page that leads to another site says so beside what was read all the same", async () => {
  const other = await site();
  other.html("/", "Elsewhere", "<h1>Elsewhere</h1>");
  const { watched, server } = await known(2);
  watched.answer("/", { status: 301, headers: { location: other.url("/") } });
  watched.html("/news", "News", "<h1>News</h1><p>The bridge is closed.</p>");
  await visit(server, async (page, window) => {
    await window.go("/sites/small");
    await page.getByRole("button", { name: "Crawl now" }).click();
    const card = page.locator(".card.trouble");
    await card.waitFor();
    assert.equal((await card.locator(".state").innerText()).trim(), "leads elsewhere");
    assert.ok((await card.locator(".happened").innerText()).includes(`The first page leads to ${other.url("/")}, outside the site`));
    assert.match(await card.locator(".evidence").innerText(), /3 pages could be read/);
    await window.check();
    await card.getByRole("link", { name: "Watch another address" }).click();
    assert.equal(await page.getByLabel("Address").inputValue(), other.url("/"), "that address is filled in");
    await window.go("/");
    assert.ok((await page.locator("li.row a.title").allInnerTexts()).includes("News"), "what changed is told");
  });
  assert.deepEqual(other.requests.filter((path) => path !== "/" && path !== "/robots.txt"), [], "nobody crawls there");
});

test("a site whose server is gone does not answer, and no page counts as gone", async () => {
  const { watched, store, server } = await known(1, { settings: SOON });
  await watched.stop();
  await crawl(store, "small", 1);
  await visit(server, async (page, window) => {
    await window.go("/sites/small");
    const card = page.locator(".card.trouble");
    assert.equal((await card.locator(".state").innerText()).trim(), "no answer");
    assert.match(await card.locator(".happened").innerText(), /does not answer \(connection refused\)/);
    assert.match(await card.innerText(), /No page counts as gone/);
    await tellsNoLie(page);
    await window.check();
  });
});

test("a crawl that waits for a host says why and until when, and is tried at once by a button", async () => {
  const { watched, server } = await known(1, { settings: SOON });
  await watched.stop();
  await visit(server, async (page, window) => {
    await window.go("/sites/small");
    await page.getByRole("button", { name: "Crawl now" }).click();
    await page.getByRole("button", { name: "Try now" }).waitFor();
    const why = /Connection refused.*\. It is tried again (today|tomorrow), \d\d:\d\d; no page counts as gone because of it\./;
    assert.match(await page.locator(".standing").innerText(), why);
    await window.check();
    await window.go("/");
    const line = page.locator("ul.sites > li");
    assert.match(await line.innerText(), /waiting\s+small/);
    assert.match(await line.locator(".what").innerText(), why);
    await tellsNoLie(page);
    await window.go("/sites/small/crawling");
    assert.match(await page.locator("h1").innerText(), /waits for its next try/);
    await window.check();

    await watched.start();
    await page.getByRole("button", { name: "Try now" }).click();
    await ended(page);
    await window.go("/");
    assert.match(await line.innerText(), /Nothing changed in 3 pages/);
  });
});

test("a first crawl, a quiet one and one that is under way each say what they are", async () => {
  const { watched, store, server } = await known(2);
  await visit(server, async (page, window) => {
    const line = page.locator("ul.sites > li");
    await window.go("/");
    assert.match(await line.innerText(), /first crawl\s+small\s+First crawl: 4 pages\./);
    await crawl(store, "small");
    await window.go("/");
    assert.match(await line.innerText(), /quiet\s+small\s+Nothing changed in 4 pages\./);
    assert.match(await page.locator("main .lead").first().innerText(), /A quiet week: nothing changed\./);
    await window.check();
    const release = watched.hold();
    await window.go("/sites/small");
    await page.getByRole("button", { name: "Crawl now" }).click();
    await page.getByRole("link", { name: "Follow it" }).waitFor();
    await window.go("/");
    assert.match(await line.innerText(), /crawling\s+small\s+A crawl is under way\./);
    await tellsNoLie(page);
    release();
    await window.go("/sites/small");
    await ended(page);
  });
});

test("a crawl that a budget ended is partial, and is not called quiet", async () => {
  const { watched, paths } = await small(5);
  const store = await folder(`[site.small]\nroot = "${watched.url()}"\n`);
  await crawl(store, "small");
  const { status } = await run(store, "crawl", "small", "--quiet", "--budget", "2");
  assert.equal(status, 0);
  assert.equal(paths.length, 5);
  await visit(await served(store), async (page, window) => {
    await window.go("/");
    assert.match(await page.locator("ul.sites > li").innerText(), /partial\s+small\s+The last crawl ended early: .*It saw no change\./);
    await tellsNoLie(page);
    await window.check();
    await window.go("/sites/small");
    await tellsNoLie(page);
  });
});
