// Asks the API everything that its document allows, and much that it does not: schemathesis makes up the requests. This takes
// minutes, and the store is worn out afterwards, so it stands beside the tests.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";

import * as planted from "./lib/planted.js";
import { crawl } from "./lib/recrawl.js";
import { folder, served, site } from "./lib/world.js";

const target = resolve(import.meta.dirname, "..", process.env.CARGO_TARGET_DIR ?? "target");
const program = process.env.SCHEMATHESIS ?? join(target, "schemathesis/bin/schemathesis");
assert.ok(existsSync(program), `${program} is not there: see README.md`);

/** Requests for each operation; what is found is found again by the same number. */
const REQUESTS = process.env.REQUESTS ?? "100";
const SEED = process.env.SEED ?? "1";

/** A store in which everything has happened that the API tells of. */
async function lived() {
  const watched = await site();
  const store = await folder(`[site.rivertown]\nroot = "${watched.url()}"\n`);
  for (const week of [planted.first, planted.second, planted.third]) {
    week(watched);
    await crawl(store, "rivertown");
  }
  return store;
}

async function ask(server, ...options) {
  const words = [
    "--config-file", join(import.meta.dirname, "openapi.toml"), "run", `${server.address}/api/v1/openapi.json`, "--checks", "all", "--seed", SEED, "--max-examples", REQUESTS,
    // Made-up sites are looked at nowhere, and crawled by nobody: both would ask hosts that are none of ours.
    "--phases", "examples,coverage,fuzzing", "--exclude-operation-id", "preview_site", "--exclude-operation-id", "start",
    "--suppress-health-check", "all", "--warnings", "off", ...options,
  ];
  const child = spawn(program, words, { stdio: ["ignore", "inherit", "inherit"], cwd: await folder() });
  const [status] = await once(child, "close");
  assert.equal(status, 0, "schemathesis found something");
}

test("the API is as its document says where whoever reaches it may do things", async () => {
  await ask(await served(await lived()));
});

test("the API is as its document says to whoever has the token", async () => {
  const token = "open sesame, please";
  await ask(await served(await lived(), { token }), "--header", `Authorization: Bearer ${token}`);
});

test("the API is as its document says to whoever has no token", async () => {
  await ask(await served(await lived(), { token: "open sesame, please" }));
});
