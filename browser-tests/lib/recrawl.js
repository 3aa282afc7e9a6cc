// The real command, as people run it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const root = resolve(import.meta.dirname, "../..");
const target = resolve(root, process.env.CARGO_TARGET_DIR ?? "target");
export const program = process.env.RECRAWL ?? join(target, "debug/recrawl");

if (!existsSync(program)) {
  throw new Error(`${program} is not there: build it with \`cargo build -p recrawl\`, or name another one in RECRAWL`);
}

// Whatever ends this process ends what it has started.
const children = new Set();
process.on("exit", () => children.forEach((child) => child.kill("SIGKILL")));
for (const [signal, status] of [["SIGINT", 130], ["SIGTERM", 143]]) process.once(signal, () => process.exit(status));

function start(words, options) {
  const child = spawn(program, words, options);
  children.add(child);
  child.on("exit", () => children.delete(child));
  return child;
}

// What the person who runs the tests has set must not change what they find.
function environment(further) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("RECRAWL"));
  // Nobody listens there: pages of this machine are no business of the Wayback Machine.
  return { ...Object.fromEntries(inherited), RECRAWL_SAVE_PAGE_NOW: "http://127.0.0.1:9/", ...further };
}

/** Runs the command in a folder; returns what it printed and its exit status. */
export async function run(folder, ...words) {
  const child = start(words, { cwd: folder, env: environment(), stdio: ["ignore", "pipe", "pipe"] });
  let [output, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (errors += text));
  const [status] = await once(child, "close");
  return { status, output, errors };
}

/** Crawls a site into the store of a folder; `status` is the exit status that is due. */
export async function crawl(folder, site, status = 0) {
  const ended = await run(folder, "crawl", site, "--quiet");
  if (ended.status !== status) throw new Error(`the crawl ended with ${ended.status}: ${ended.errors}`);
}

/** Serves the store of a folder on a free port, until it is stopped. */
export async function serve(folder, { token, options = [] } = {}) {
  const words = ["serve", "--listen", "127.0.0.1:0", ...options];
  const env = environment(token ? { RECRAWL_ADMIN_TOKEN: token } : {});
  const child = start(words, { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
  const said = [];
  const address = await new Promise((found, failed) => {
    child.on("error", failed);
    child.on("exit", (status) => failed(new Error(`serve ended with ${status}: ${said.join("\n")}`)));
    createInterface(child.stderr).on("line", (line) => {
      said.push(line);
      const match = line.match(/(http:\/\/127\.0\.0\.1:\d+)\//);
      if (match) found(match[1]);
    });
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    const patience = setTimeout(() => child.kill("SIGKILL"), 10_000);
    await ended;
    clearTimeout(patience);
  };
  return { address, said, stop };
}
