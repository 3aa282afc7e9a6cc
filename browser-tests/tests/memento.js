// Time travel with memento_client, the client of those who wrote RFC 7089.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

import { world } from "../lib/world.js";

const root = resolve(import.meta.dirname, "../..");
const PYTHON = process.env.MEMENTO_PYTHON ?? resolve(root, process.env.CARGO_TARGET_DIR ?? "target", "memento-client/bin/python");
const CLIENT = resolve(import.meta.dirname, "../lib/memento.py");

const seconds = (time) => time.toISOString().slice(0, 19);

test("a Memento client finds the version of each time, and all of them", async () => {
  assert.ok(existsSync(PYTHON), `${PYTHON} is not there: ./test makes it, or name a Python with requirements.txt in MEMENTO_PYTHON`);
  const { server, site, crawledAt } = await world();
  const url = site.url("/news/bridge");
  const asked = [new Date("2001-01-01"), ...crawledAt, new Date(crawledAt.at(-1).getTime() + 86_400_000)];
  const { stdout } = await promisify(execFile)(PYTHON, [
    CLIENT, `${server.address}/timegate/`, `${server.address}/timemap/link/`, url, ...asked.map(seconds),
  ]);
  const { answers, is_timegate, timemap } = JSON.parse(stdout);

  assert.equal(is_timegate, true);
  const said = [];
  for (const { original_uri, mementos } of answers) {
    assert.equal(original_uri, url);
    assert.equal(mementos.closest.http_status_code, 200);
    const [address] = [mementos.closest.uri].flat();
    said.push((await (await fetch(address)).text()).match(/The bridge is ([^<]*)\./)[1]);
  }
  const [opened, lorries, closed] = ["open to everybody", "closed to lorries until Friday", "closed to everybody until Monday"];
  assert.deepEqual(said, [opened, opened, lorries, closed, closed]);
  assert.ok(answers[1].mementos.closest.datetime <= answers[2].mementos.closest.datetime);

  const of = (relation) => Object.entries(timemap).filter(([, link]) => link.rel.includes(relation));
  assert.deepEqual(of("original").map(([address]) => address), [url]);
  assert.deepEqual(of("timegate").map(([address]) => address), [`${server.address}/timegate/${url}`]);
  const versions = of("memento");
  assert.equal(versions.length, 3);
  assert.deepEqual(versions.map(([, link]) => link.rel), [["first", "memento"], ["memento"], ["last", "memento"]]);
  const closest = new Set(answers.map(({ mementos }) => [mementos.closest.uri].flat()[0]));
  assert.deepEqual(versions.map(([address]) => address), [...closest], "TimeGate and TimeMap name the same");
});

test("a page that nobody stored has no TimeGate", async () => {
  const { server, site } = await world();
  for (const kind of ["timegate", "timemap/link"]) {
    const { status } = await fetch(`${server.address}/${kind}/${site.url("/never")}`, { redirect: "manual" });
    assert.equal(status, 404, kind);
  }
});
