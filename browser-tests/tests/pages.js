// Every page: for eyes, ears, thumbs and the night.

import assert from "node:assert/strict";
import { test } from "node:test";

import { browser, world } from "../lib/world.js";

/** The address of every page, by its name. */
export function addresses({ id, crawls, site }) {
  const of = (path) => encodeURIComponent(site.url(path));
  const [first, , last] = crawls;
  return {
    home: "/",
    sites: "/sites",
    site: `/sites/${id}`,
    changes: `/sites/${id}/crawls/${last}`,
    "changes of a first crawl": `/sites/${id}/crawls/${first}`,
    "a filter that matches nothing": `/sites/${id}/crawls/${last}?q=nothing-has-this`,
    difference: `/sites/${id}/diff?url=${of("/streets/paving")}`,
    "difference side by side": `/sites/${id}/diff?url=${of("/news/bridge")}&view=side`,
    "difference of markup": `/sites/${id}/diff?url=${of("/visitors/trick")}&view=raw`,
    "difference of a PDF": `/sites/${id}/diff?url=${of("/documents/plan.pdf")}`,
    history: `/sites/${id}/page?url=${of("/news/bridge")}`,
    "history of a page that is gone": `/sites/${id}/page?url=${of("/streets/old-plan")}`,
    "history of a page that moved": `/sites/${id}/page?url=${of("/streets/depot")}`,
    "version as text": `/sites/${id}/version?url=${of("/visitors/trick")}`,
    "version as headers": `/sites/${id}/version?url=${of("/visitors/trick")}&as=headers`,
    "version as links": `/sites/${id}/version?url=${of("/")}&as=links`,
    "version as stored page": `/sites/${id}/version?url=${of("/about")}&as=html`,
    search: "/search",
    "search with a word": "/search?q=bridge",
    "adding a site": "/add-site",
    "renaming a site": `/sites/${id}/rename`,
    "deleting a site": `/sites/${id}/delete`,
    schedule: `/sites/${id}/schedule`,
    "ignore rules": `/sites/${id}/rules?url=${of("/parking/permits")}`,
    api: "/api",
    login: "/login",
  };
}

test("every page is accessible and fits, on a laptop and a phone, by day and by night", { concurrency: 3 }, async (context) => {
  const planted = await world();
  const checks = Object.entries(addresses(planted)).map(([name, address]) =>
    context.test(name, async () =>
      (await browser()).window(planted.server, {}, async (page, window) => {
        const answer = await window.go(address);
        assert.equal(answer.status(), 200);
        assert.equal(await page.locator("h1").count(), 1, "one heading says what this is");
        await window.check();
      }),
    ),
  );
  await Promise.all(checks);
});

test("dark is dark and light is light", async () => {
  const planted = await world();
  for (const [colorScheme, isDark] of [["light", false], ["dark", true]]) {
    await (await browser()).window(planted.server, { colorScheme }, async (page, window) => {
      await window.go("/");
      const colour = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      const [red, green, blue] = colour.match(/\d+/g).map(Number);
      assert.equal((red + green + blue) / 3 < 128, isDark, colour);
    });
  }
});

test("a page that is not there says so, and leads back", async () => {
  const planted = await world();
  const expected = [/status of 404/];
  await (await browser()).window(planted.server, { expected }, async (page, window) => {
    assert.equal((await window.go("/sites/nobody")).status(), 404);
    await window.check();
    await page.getByRole("link", { name: "Back to what changed" }).click();
    assert.equal(window.path, "/");
  });
});

test("the keyboard alone leads to the content and to the first change", async () => {
  const planted = await world();
  await (await browser()).window(planted.server, {}, async (page, window) => {
    await window.go("/");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to content");
    await page.keyboard.press("Enter");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/diff\?/);
  });
});

test("a title of <script> is text wherever it is shown", async () => {
  const planted = await world();
  const shown = addresses(planted);
  for (const address of [shown.home, shown.changes, shown["difference of markup"], shown["version as text"], "/search?q=trick"]) {
    await (await browser()).window(planted.server, {}, async (page, window) => {
      await window.go(address);
      assert.notEqual(await page.title(), "1", "it did not run");
      assert.equal(await page.locator("script:not([src])").count(), 0);
      if (!address.startsWith("/search")) assert.match(await page.locator("main").innerText(), /<script>document\.title=1<\/script>/);
    });
  }
});

const SIZES = [320, 390, 768, 1024, 1280, 1600];

test("no page must be scrolled sideways, from 320 to 1,600 pixels", async () => {
  const planted = await world();
  await (await browser()).window(planted.server, {}, async (page, window) => {
    for (const [name, address] of Object.entries(addresses(planted))) {
      await window.go(address);
      for (const width of SIZES) {
        await page.setViewportSize({ width, height: 900 });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${name} is ${wide} px wide at ${width}`);
      }
    }
  });
});
