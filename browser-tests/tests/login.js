// A server that demands a token for doing things.

import assert from "node:assert/strict";
import { test } from "node:test";

import { crawl } from "../lib/recrawl.js";
import { browser, folder, served, site } from "../lib/world.js";

const TOKEN = "a token that nobody guesses";

test("looking needs no token; doing needs the right one", async () => {
  const watched = await site();
  watched.html("/", "Guarded", "<h1>Guarded</h1>");
  const store = await folder(`[site.guarded]\nroot = "${watched.url()}"\n`);
  await crawl(store, "guarded");
  const server = await served(store, { token: TOKEN });
  await (await browser()).window(server, { expected: [/status of 403/] }, async (page, window) => {
    const buttons = page.getByRole("button", { name: "Crawl now" });
    const logIn = async (token) => {
      await page.getByLabel("Admin token").fill(token);
      await page.getByRole("button", { name: "Log in" }).click();
    };
    await window.go("/sites/guarded");
    assert.equal(await page.locator("h1").innerText(), "guarded");
    assert.equal(await buttons.count(), 0, "no button before one logs in");

    await page.getByRole("link", { name: "Log in" }).click();
    await logIn("a guess");
    await page.getByRole("alert").getByText("This is not the token.").waitFor();
    await window.check();
    await window.go("/sites/guarded");
    assert.equal(await buttons.count(), 0, "no button after a wrong token");

    await window.go("/login");
    await logIn(TOKEN);
    await page.waitForURL(`${server.address}/`);
    await window.go("/sites/guarded");
    await buttons.waitFor();
    const [cookie] = await page.context().cookies();
    assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, "Strict"], "no script and no other site gets at the session");
    await buttons.click();
    await page.getByText("The site is crawled as soon as").waitFor();

    await window.go("/login");
    await page.getByRole("button", { name: "Log out" }).click();
    await window.go("/sites/guarded");
    assert.equal(await buttons.count(), 0, "no button after one has logged out");
  });
});
