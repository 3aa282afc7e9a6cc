// A small site that a test has for itself, crawled and served, for tests that do things.

import { crawl } from "./recrawl.js";
import { browser, folder, served, site } from "./world.js";

/** The page of news, which counts bicycles: what changes by itself. */
export const COUNTED = (count) => `<h1>News</h1><p>Nothing new.</p><p class="counter">Bicycle number ${count} passed</p>`;

/** A site of a front page, news and `count` others. */
export async function small(count) {
  const watched = await site();
  const paths = Array.from({ length: count }, (_, number) => `/pages/${number + 1}`);
  watched.html("/", "Small site", `<h1>Small site</h1>${["/news", ...paths].map((path) => `<a href="${path}">${path}</a> `).join("")}`);
  watched.html("/news", "News", COUNTED(7));
  for (const path of paths) watched.html(path, `Page ${path}`, `<h1>${path}</h1><p>Here.</p>`);
  return { watched, paths };
}

/** A site that was crawled as `small`, and is served; `settings` stand above its table. */
export async function known(count, { settings = "", ...options } = {}) {
  const { watched, paths } = await small(count);
  const store = await folder(`${settings}\n[site.small]\nroot = "${watched.url()}"\n`);
  await crawl(store, "small");
  return { watched, paths, store, server: await served(store, options) };
}

/** Opens a window over a server. */
export async function visit(server, steps, options = {}) {
  await (await browser()).window(server, options, steps);
}

/** Waits until the page that follows a form says that it was taken. */
export const said = (page, text) => page.getByText(text).first().waitFor();

/** Waits until a crawl has ended and the page shows it, as somebody who only watches. */
export const ended = (page) => page.getByRole("button", { name: "Crawl now" }).waitFor();
