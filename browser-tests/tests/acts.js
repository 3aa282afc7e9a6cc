// Doing things: adding a site, crawling, pausing, ignoring, accepting.

import assert from "node:assert/strict";
import { test } from "node:test";

import { crawl } from "../lib/recrawl.js";
import { COUNTED, ended, known, said, small, visit } from "../lib/small.js";
import { folder, served } from "../lib/world.js";

test("a site is added at once while a look at it fills in, and its first crawl is watched to its end", async () => {
  const { watched } = await small(4);
  watched.answer("/robots.txt", { headers: { "content-type": "text/plain" }, body: "User-agent: *\nDisallow: /pages/4\n" });
  await visit(await served(await folder()), async (page, window) => {
    await window.go("/");
    await page.getByRole("heading", { name: "Which web site do you want to watch?" }).waitFor();
    await window.check();
    await page.getByRole("link", { name: "Look at it first" }).click();
    await page.getByLabel("Address").fill(watched.url());
    await page.getByLabel("Name").fill("little");
    // The look begins by itself, and nobody has to wait for it.
    const look = page.locator("[data-looked]");
    await look.getByText("It answers").waitFor();
    assert.match(await look.innerText(), /It answers in \d+\.\d s: “Small site”/);
    await window.check();

    const release = watched.hold();
    await page.getByRole("button", { name: "Add and crawl now" }).click();
    await page.waitForURL(/\/sites\/little\/crawling/);
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await window.check();
    release();
    await ended(page);
    await window.go("/");
    assert.match(await page.locator("main").innerText(), /First crawl: 6 pages/);
  });
});

test("an address that does not show a site says so before anything is kept, and the one above it is offered", async () => {
  const { watched } = await small(1);
  await visit(await served(await folder()), async (page, window) => {
    await window.go("/add-site");
    await page.getByLabel("Address").fill(watched.url("/nowhere/"));
    const look = page.locator("[data-looked]");
    await look.getByText("The first page is not there (404)").waitFor();
    await window.check();
    await look.getByRole("button", { name: "Use that address" }).click();
    assert.equal(await page.getByLabel("Address").inputValue(), watched.url());
    await look.getByText("It answers").waitFor();
    await window.go("/sites");
    assert.equal(await page.locator("section.site, ul.sites > li, ol.sites > li").count(), 0, "nothing was added");
  });
});

test("without a script, a site is looked at and added by buttons", async () => {
  const { watched } = await small(1);
  await visit(await served(await folder()), async (page, window) => {
    await window.go("/add-site");
    await page.getByLabel("Address").fill(watched.url());
    await page.getByRole("button", { name: "Look at it" }).click();
    for (let tries = 0; tries < 40 && (await page.getByText("It answers").count()) === 0; tries += 1) {
      await page.waitForTimeout(500);
      await page.getByRole("button", { name: "Look again" }).click();
    }
    await page.getByText("It answers").waitFor();
    await page.getByRole("button", { name: "Add, crawl later" }).click();
    await said(page, "The site is added");
  }, { javaScriptEnabled: false });
});

test("a site is renamed, and its old addresses lead to the new ones", async () => {
  const { watched, server } = await known(2);
  await visit(server, async (page, window) => {
    const old = `/sites/small/page?url=${encodeURIComponent(watched.url("/news"))}`;
    await window.go("/sites/small");
    await page.getByRole("link", { name: "Rename" }).click();
    await window.check();
    await page.getByLabel("New name").fill("large");
    await page.getByRole("button", { name: "Rename" }).click();
    await said(page, "The site is renamed");
    assert.equal(await page.locator("h1").innerText(), "large");
    await window.go(old);
    assert.match(page.url(), /\/sites\/large\/page/);
    assert.equal(await page.locator("h1").innerText(), "News");
    await window.go("/sites/large");
    await page.getByRole("button", { name: "Crawl now" }).click();
    await said(page, "The site is crawled as soon as");
    await ended(page);
  });
});

test("a site is deleted by its name, with the numbers beside it, and is gone from the settings", async () => {
  const { server } = await known(2);
  await visit(server, async (page, window) => {
    await window.go("/sites/small");
    await page.getByRole("link", { name: "Delete…" }).click();
    assert.match(await page.locator("main .lead").innerText(), /4 pages, 1 crawl and 4 versions/);
    await window.check();
    await page.getByLabel("type its name").fill("smal");
    await page.getByRole("button", { name: "Delete small" }).click();
    await page.getByRole("alert").getByText("Type small").waitFor();
    await page.getByLabel("type its name").fill("small");
    await page.getByRole("button", { name: "Delete small" }).click();
    await said(page, "The site is being deleted");
    for (let tries = 0; tries < 40; tries += 1) {
      if ((await page.goto(new URL("/sites/small", page.url()).href)).status() === 404) return;
      await page.waitForTimeout(250);
    }
    assert.fail("the site is still there");
  }, { expected: [/status of 404/, /status of 422/] });
});

test("a crawl is started, paused and gone on with, and its changes are shown", async () => {
  const { watched, server } = await known(5);
  watched.html("/pages/2", "Page 2", "<h1>/pages/2</h1><p>Here and there.</p>");
  await visit(server, async (page, window) => {
    await window.go("/sites/small");
    const release = watched.hold();
    await page.getByRole("button", { name: "Crawl now" }).click();
    await page.getByRole("button", { name: "Pause" }).click();
    await said(page, "The crawl rests as soon as");
    release();
    const goOn = page.getByRole("button", { name: "Go on" });
    await goOn.waitFor();
    await window.check();
    await goOn.click();
    await ended(page);
    await window.go("/");
    assert.deepEqual(await page.locator("li.row a.title").allInnerTexts(), ["Page 2"]);
  });
});

test("a crawl that is stopped is partial, and makes no page gone", async () => {
  const { watched, paths, server } = await known(5);
  for (const path of paths) watched.remove(path);
  await visit(server, async (page, window) => {
    await window.go("/sites/small");
    const release = watched.hold();
    await page.getByRole("button", { name: "Crawl now" }).click();
    await page.getByRole("link", { name: "Follow it" }).click();
    await page.getByRole("link", { name: "Stop…" }).click();
    await page.getByText("never as gone").waitFor();
    await window.check();
    await page.getByRole("button", { name: "Stop" }).click();
    await said(page, "The crawl is closed as soon as");
    release();
    await ended(page);
    await window.go("/sites/small");
    const row = page.locator(".crawls tbody tr").first();
    assert.match(await row.innerText(), /partial/);
    assert.equal(await row.locator("a.count.gone").count(), 0);
  });
});

test("ignore rules show their effect while one types, and the next crawl goes by them", async () => {
  const { watched, store, server } = await known(3);
  watched.html("/news", "News", COUNTED(8));
  await crawl(store, "small");
  await visit(server, async (page, window) => {
    await window.go(`/sites/small/rules?url=${encodeURIComponent(watched.url("/news"))}`);
    const effect = page.locator("#effect");
    await page.getByLabel("Elements").fill(".counter");
    await effect.getByText("would not have been reported").waitFor();
    await page.getByLabel("Elements").fill(".other");
    await effect.getByText("looks the same by both").waitFor();
    await page.getByLabel("Text").fill("Bicycle number \\d+");
    await effect.getByText("would not have been reported").waitFor();
    await window.check();
    await page.getByRole("button", { name: "Save" }).click();
    await said(page, "The rules are saved");

    watched.html("/news", "News", COUNTED(9));
    await window.go("/sites/small");
    await page.getByRole("button", { name: "Crawl now" }).click();
    await ended(page);
    const { items } = await (await fetch(`${server.address}/api/v1/sites/small/crawls`)).json();
    await window.go(`/sites/small/crawls/${items[0].id}`);
    assert.match(await page.locator("main").innerText(), /nothing changed/);
  });
});

test("a rule that cannot be read is refused, and said so", async () => {
  const { watched, store, server } = await known(2);
  watched.html("/news", "News", COUNTED(8));
  await crawl(store, "small");
  await visit(
    server,
    async (page, window) => {
      await window.go("/sites/small/rules");
      await page.getByLabel("Text").fill("(unclosed");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("alert").first().waitFor();
      assert.equal((await page.getByLabel("Text").inputValue()).trim(), "(unclosed", "what was typed is still there");
      await window.check();
    },
    { expected: [/status of 422/] },
  );
});

test("the findings of a suspect crawl are accepted by a person", async () => {
  const { watched, paths, store, server } = await known(9);
  for (const path of paths.slice(0, 6)) watched.remove(path);
  await crawl(store, "small", 4);
  await visit(server, async (page, window) => {
    await window.go("/");
    assert.match(await page.locator("main").innerText(), /6 of \d+ pages are gone. Nothing was sent yet/);
    await window.check();
    await page.getByRole("link", { name: "Review small" }).click();
    await page.getByRole("button", { name: /Accept/ }).click();
    await said(page, "The findings are accepted");
    assert.match(await page.locator("main").innerText(), /somebody accepted it/);
    assert.equal(await page.getByRole("button", { name: /Accept/ }).count(), 0);
  });
});

test("a schedule is set, and shown with its next time", async () => {
  const { server } = await known(2);
  await visit(server, async (page, window) => {
    await window.go("/sites/small");
    await page.getByRole("link", { name: "Change the schedule" }).click();
    await page.getByLabel("Crawl it").selectOption("weekly");
    await window.check();
    await page.getByRole("button", { name: "Save" }).click();
    await said(page, "The schedule is saved");
    assert.match(await page.locator("main").innerText(), /Next crawl\s+\d+ \w+ 20\d\d, \d\d:\d\d/);
  });
});

test("who only reads sees no button, and is refused", async () => {
  const { server } = await known(2, { options: ["--read-only"] });
  await visit(
    server,
    async (page, window) => {
      for (const path of ["/", "/sites", "/sites/small"]) {
        await window.go(path);
        assert.equal(await page.locator("form[method=post]").count(), 0, path);
      }
      assert.equal((await window.go("/add-site")).status(), 403);
    },
    { expected: [/status of 403/] },
  );
});
