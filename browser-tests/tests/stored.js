// A stored page that tries everything can do nothing.

import assert from "node:assert/strict";
import { test } from "node:test";

import { until } from "../lib/waiting.js";
import { browser, world } from "../lib/world.js";

// The browser says what it kept from happening; that is what is wanted here, and only within the stored page.
const kept = [/Blocked script execution|Content Security Policy|sandboxed|Blocked form submission|ERR_BLOCKED_BY_(CSP|RESPONSE)/];

for (const where of ["in its frame", "alone"]) {
  test(`a stored page runs nothing and asks nobody, ${where}`, async () => {
    const { server, site, id, crawls } = await world();
    const url = encodeURIComponent(site.url("/visitors/trick"));
    const before = site.requests.length;
    await (await browser()).window(server, { expected: kept }, async (page, window) => {
      const isFramed = where === "in its frame";
      await window.go(isFramed ? `/sites/${id}/version?url=${url}&as=html` : `/stored/${id}/${crawls.at(-1)}?url=${url}`);
      const stored = isFramed ? page.frameLocator("iframe.stored") : page;
      assert.equal(await stored.locator("#proof").innerText(), "It did nothing again.");
      await stored.getByRole("button", { name: "Send" }).click();
      await until(() => window.complaints.some((complaint) => /form/i.test(complaint)), "the browser kept the form back");
      assert.equal(await stored.locator("#proof").innerText(), "It did nothing again.");
      assert.ok(window.complaints.some((complaint) => /script/.test(complaint)), "the browser kept a script from running");
      if (!isFramed) assert.equal(await page.evaluate(() => window.origin), "null", "it has an origin of its own");
    });
    assert.deepEqual(site.requests.slice(before), [], "the site learns nothing");
  });
}

test("a stored page that tries nothing gives no reason to complain", async () => {
  const { server, site, id } = await world();
  await (await browser()).window(server, {}, async (page, window) => {
    await window.go(`/sites/${id}/version?url=${encodeURIComponent(site.url("/about"))}&as=html`);
    await page.frameLocator("iframe.stored").getByText("Since 1912.").waitFor();
  });
});
