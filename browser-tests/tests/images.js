// The pictures of README, made from the planted site when UPDATE_IMAGES is set.

import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { test } from "node:test";

import { LAPTOP, PHONE } from "../lib/browser.js";
import { browser, world } from "../lib/world.js";
import { addresses } from "./pages.js";

const FOLDER = resolve(import.meta.dirname, "../../docs/images");

/** The most that a picture may weigh. */
const LIMIT = 180_000;

const PICTURES = [
  ["home", "home", LAPTOP, "light"],
  ["changes", "changes", LAPTOP, "light"],
  ["difference", "difference", LAPTOP, "light"],
  ["site", "site", LAPTOP, "light"],
  ["phone", "home", PHONE, "light"],
  ["dark", "difference side by side", LAPTOP, "dark"],
];

/** Returns width and height of a PNG: they stand at the beginning of its first chunk. */
const size = (png) => ({ width: png.readUInt32BE(16), height: png.readUInt32BE(20) });

for (const [name, shown, viewport, colorScheme] of PICTURES) {
  test(`the picture ${name}.png can be made, and README's is one of this kind`, async () => {
    const planted = await world();
    const path = resolve(FOLDER, `${name}.png`);
    await (await browser()).window(planted.server, { viewport, colorScheme }, async (page, window) => {
      await page.clock.setFixedTime(new Date(planted.crawledAt.at(-1).getTime() + 7_500_000));
      await window.go(addresses(planted)[shown]);
      const taken = await page.screenshot({ animations: "disabled", caret: "hide" });
      assert.deepEqual(size(taken), viewport);
      if (process.env.UPDATE_IMAGES) {
        await mkdir(FOLDER, { recursive: true });
        await writeFile(path, taken);
      }
    });
    const kept = await readFile(path).catch(() => assert.fail(`${path} is missing: UPDATE_IMAGES=1 npm test makes it`));
    assert.deepEqual(size(kept), viewport);
    assert.ok(kept.length < LIMIT, `${kept.length} bytes`);
  });
}

test("README shows no picture that is not made here", async () => {
  const readme = await readFile(resolve(FOLDER, "../../README.md"), "utf8");
  const named = [...readme.matchAll(/docs\/images\/([\w-]+)\.png/g)].map(([, name]) => name);
  const made = PICTURES.map(([name]) => name);
  assert.deepEqual(named.filter((name) => !made.includes(name)), []);
  assert.ok(named.length > 0, "README shows none");
});
