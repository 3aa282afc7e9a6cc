// What most tests look at, made once: the planted history, served, and a browser.

import { rmSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { Browser } from "./browser.js";
import * as planted from "./planted.js";
import { crawl, serve } from "./recrawl.js";
import { Site } from "./site.js";

/** Pictures show addresses, so that they are made from a site on a port that stays. */
const PORT = process.env.UPDATE_IMAGES ? 8000 : 0;

const endings = [];
after(async () => {
  for (const end of endings.reverse()) await end();
});

/** Has something undone when all tests are over. */
function atTheEnd(end) {
  endings.push(end);
}

// Also after an interrupt.
const folders = [];
process.on("exit", () => folders.forEach((path) => rmSync(path, { recursive: true, force: true })));

/** Makes a folder for a store, with settings that let a site of this machine be crawled at once. */
export async function folder(settings = "") {
  const path = await mkdtemp(join(tmpdir(), "recrawl-browser-"));
  folders.push(path);
  await writeFile(join(path, "recrawl.toml"), `rate = "unlimited"\n${settings}`);
  return path;
}

/** Starts a site. */
export async function site(port = 0) {
  const started = await Site.start(port);
  atTheEnd(() => started.stop());
  return started;
}

/** Serves a store. */
export async function served(store, options) {
  const server = await serve(store, options);
  atTheEnd(server.stop);
  return server;
}

async function history() {
  const watched = await site(PORT);
  const id = "rivertown";
  const store = await folder(`[site.${id}]\nroot = "${watched.url()}"\n`);
  const crawledAt = [];
  for (const week of [planted.first, planted.second, planted.third]) {
    week(watched);
    await crawl(store, id);
    crawledAt.push(new Date());
    // Memento tells versions apart by the second.
    await sleep(1100);
  }
  watched.requests.length = 0;
  const server = await served(store);
  const { items } = await (await fetch(`${server.address}/api/v1/sites/${id}/crawls`)).json();
  const crawls = items.map((item) => item.id).sort((one, other) => one.length - other.length || one.localeCompare(other));
  return { store, site: watched, server, id, crawls, crawledAt };
}

async function started() {
  const browser = await Browser.start();
  atTheEnd(() => browser.stop());
  return browser;
}

const once = (make) => {
  let made;
  return () => (made ??= make());
};

/** The planted history: store, site, server, name of the site, its crawls from first to last. */
export const world = once(history);

/** The browser that all tests share. */
export const browser = once(started);
