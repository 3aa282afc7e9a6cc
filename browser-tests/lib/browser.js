// Debian's Chromium, with an ear for everything that goes wrong in a page.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

import { chromium } from "playwright-core";

import { PATIENCE } from "./waiting.js";

const PROGRAMS = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** The width and height of a laptop's window and of a phone. */
export const LAPTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

export class Browser {
  #browser;
  #axe;

  static async start() {
    const executablePath = PROGRAMS.find((path) => path && existsSync(path));
    if (!executablePath) throw new Error("there is no Chromium: install it with `apt-get install chromium`, or name it in CHROMIUM");
    const started = new Browser();
    // Without its own sandbox it also starts as root, in a container.
    started.#browser = await chromium.launch({
      executablePath,
      args: ["--no-sandbox", "--disable-dev-shm-usage"],
      handleSIGINT: false,
      handleSIGTERM: false,
    });
    started.#axe = await readFile(AXE, "utf8");
    return started;
  }

  stop() {
    return this.#browser.close();
  }

  /**
   * Opens a window for `visit(page, window)`; fails if a page complained meanwhile, or asked anybody but `server` for something.
   *
   * Whatever `expected` matches is no complaint: tests that go where an error is due say so.
   */
  async window(server, options, visit) {
    const { expected = [], viewport = LAPTOP, ...rest } = options;
    const context = await this.#browser.newContext({ viewport, locale: "en-GB", timezoneId: "UTC", ...rest });
    try {
      const page = await context.newPage();
      const window = new Window(page, server, this.#axe);
      await visit(page, window).catch((error) => window.explain(error));
      const complaints = window.complaints.filter((complaint) => !expected.some((pattern) => pattern.test(complaint)));
      assert.deepEqual(complaints, [], "no page complains, and nobody else is asked");
    } finally {
      await context.close();
    }
  }
}

class Window {
  #page;
  #server;
  #axe;
  complaints = [];

  constructor(page, server, axe) {
    [this.#page, this.#server, this.#axe] = [page, server, axe];
    const complain = (text) => this.complaints.push(`${page.url().replace(server.address, "")}: ${text}`);
    page.setDefaultTimeout(PATIENCE);
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complain(`${message.text()} (${message.location().url})`);
    });
    page.on("pageerror", (error) => complain(`${error}`));
    // What a policy keeps back is told as a request that failed, but nobody is asked.
    const isKeptBack = (request) => request.failure()?.errorText === "csp";
    const isOurs = (url) => url.startsWith(`${server.address}/`) || url.startsWith("data:");
    for (const outcome of ["requestfinished", "requestfailed"]) {
      page.on(outcome, (request) => {
        if (!isOurs(request.url()) && !isKeptBack(request)) complain(`asked for ${request.url()}, ${request.failure()?.errorText}`);
      });
    }
  }

  /** Throws an error again, with what the page shows and said. */
  async explain(error) {
    const shown = await this.#page.locator("body").innerText({ timeout: 1000 }).catch(() => "nothing");
    error.message += `\n\nThe page ${this.path} shows:\n${shown.slice(0, 2000)}\n\nIt complained:\n${this.complaints.join("\n")}`;
    throw error;
  }

  /** Goes to a path of the server. */
  async go(path) {
    return this.#page.goto(this.#server.address + path);
  }

  /** Returns the path of the page that is shown, with its query. */
  get path() {
    return this.#page.url().replace(this.#server.address, "");
  }

  /** Fails if the page is not accessible or does not fit: on a laptop and a phone, by day and by night. */
  async check() {
    // Evaluated by the debugger, so that the page's policy need not allow it.
    await this.#page.evaluate(this.#axe);
    for (const viewport of [LAPTOP, PHONE]) {
      await this.#page.setViewportSize(viewport);
      await this.#page.emulateMedia({ colorScheme: "light" });
      await this.#judge(`${viewport.width} px, light`);
      await this.#page.emulateMedia({ colorScheme: "dark" });
      await this.#judge(`${viewport.width} px, dark`, ["color-contrast"]);
    }
  }

  async #judge(how, rules) {
    const options = { iframes: false, resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
    const found = await this.#page.evaluate((options) => window.axe.run(document, options), options);
    const serious = found.violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
    const told = serious.map(({ id, help, nodes }) => `${id} (${help}): ${nodes.map(({ html }) => html).join(" | ")}`);
    assert.deepEqual(told, [], `axe-core on ${this.path}, ${how}`);
    const [wide, seen] = await this.#page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    assert.ok(wide <= seen, `${this.path} is ${wide} px wide, and ${seen} are seen, ${how}`);
  }
}
