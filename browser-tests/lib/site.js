// A web site whose pages can be changed, on a free port of this machine.

import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";

/** Serves what is planted; everything else is 404. */
export class Site {
  #pages = new Map();
  #server;
  #port = 0;
  #held = null;
  requests = [];

  /** Starts a site; `port` 0 takes a free one. */
  static async start(port = 0) {
    const site = new Site();
    await site.start(port);
    return site;
  }

  /** Starts the site again, on the port that it had. */
  async start(port = this.#port) {
    this.#server = createServer((request, response) => this.#answer(request, response));
    this.#server.listen(port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = this.#server.address().port;
  }

  /** Returns the address of a path. */
  url(path = "/") {
    return `http://127.0.0.1:${this.#port}${path}`;
  }

  /** Plants an HTML page with a title and a body. */
  html(path, title, body) {
    this.answer(path, { body: `<!doctype html><html lang="en"><head><title>${title}</title></head><body>${body}</body></html>` });
  }

  /** Plants any answer: `status`, `headers` and `body`. */
  answer(path, { status = 200, headers = { "content-type": "text/html; charset=utf-8" }, body = "" }) {
    const etag = `"${createHash("sha256").update(body).digest("hex").slice(0, 16)}"`;
    this.#pages.set(path, { status, headers: status === 200 ? { ...headers, etag } : headers, body });
  }

  /** Takes a page away. */
  remove(path) {
    this.#pages.delete(path);
  }

  /** Lets every answer but that for robots.txt wait, until the function that is returned is called. */
  hold() {
    let release;
    this.#held = new Promise((resolve) => (release = resolve));
    return () => {
      this.#held = null;
      release();
    };
  }

  async stop() {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #answer(request, response) {
    this.requests.push(request.url);
    if (request.url !== "/robots.txt") await this.#held;
    const page = this.#pages.get(request.url);
    if (page?.headers.etag && request.headers["if-none-match"] === page.headers.etag) {
      response.writeHead(304, { etag: page.headers.etag });
      response.end();
      return;
    }
    response.writeHead(page?.status ?? 404, page?.headers ?? { "content-type": "text/plain" });
    response.end(page?.body ?? "Not found");
  }
}
