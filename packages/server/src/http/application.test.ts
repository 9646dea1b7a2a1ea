import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfiguration } from "../configuration.ts";
import { type Platform, startPlatform } from "../platform.ts";

interface Answer {
  readonly status: number | undefined;
  readonly headers: Record<string, unknown>;
  readonly body: string;
}

describe("the main port", () => {
  let platform: Platform;
  let dataFolder: string;

  beforeAll(async () => {
    dataFolder = await mkdtemp(join(tmpdir(), "parley-http-"));
    const environment = {
      PORT: "0",
      PARLEY_DATA: dataFolder,
      PARLEY_LOG: "silent",
      PARLEY_AGENTS: dataFolder,
    };
    platform = await startPlatform(await readConfiguration(environment));
    await platform.agentsStarted;
  });
  afterAll(async () => {
    await platform.stop();
    await rm(dataFolder, { recursive: true });
  });

  // Not by fetch, which writes Host and Origin itself.
  const ask = (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body = "",
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const asked = request(
        { host: "127.0.0.1", port: platform.port, method, path, headers },
        async (response) => {
          resolve({ status: response.statusCode, headers: response.headers, body: await text(response) });
        },
      );
      asked.on("error", reject).end(body);
    });
  const codeOf = ({ body }: Answer) => JSON.parse(body).error.code;

  it("serves a status page under a strict content security policy", async () => {
    const { status, headers, body } = await ask("GET", "/status");
    expect(status).toBe(200);
    expect(headers["content-type"]).toContain("text/html");
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
    expect(body).toContain("<h1>Parley</h1>");
    expect(body).toContain(join(dataFolder, "journal.db"));
    expect((await ask("GET", "/status.css")).headers["content-type"]).toContain("text/css");
  });

  it.each(["localhost", "127.0.0.1", "[::1]", "LOCALHOST"])("answers to the host %s", async (host) => {
    expect((await ask("GET", "/healthz", { host: `${host}:${platform.port}` })).status).toBe(200);
  });

  it.each([
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.nip.io",
    "10.0.0.1",
    "[::2]",
    "localhost:80:80",
  ])("refuses the host %s", async (host) => {
    const answer = await ask("GET", "/healthz", { host });
    expect([answer.status, codeOf(answer)]).toEqual([403, "host_not_allowed"]);
  });

  it.each(["http://evil.example", "null", "https://localhost", "http://localhost:1", ""])(
    "refuses the origin %j",
    async (origin) => {
      const answer = await ask("GET", "/healthz", { host: `localhost:${platform.port}`, origin });
      expect([answer.status, codeOf(answer)]).toEqual([403, "origin_not_allowed"]);
    },
  );

  it("accepts requests from its own origin", async () => {
    const host = `localhost:${platform.port}`;
    expect((await ask("GET", "/healthz", { host, origin: `http://${host}` })).status).toBe(200);
  });

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonp",
    "",
  ])("refuses a POST of %j", async (type) => {
    const answer = await ask("POST", "/nowhere", type ? { "content-type": type } : {}, "{}");
    expect([answer.status, codeOf(answer)]).toEqual([415, "content_type_not_supported"]);
  });

  it.each(["application/json", "application/json; charset=utf-8", "application/a2a+json"])(
    "lets a POST of %s through to the routes",
    async (type) => {
      const answer = await ask("POST", "/nowhere", { "content-type": type }, "{}");
      expect([answer.status, codeOf(answer)]).toEqual([404, "not_found"]);
    },
  );

  it("requires no content type on a POST without a body, and keeps all other checks", async () => {
    const host = `localhost:${platform.port}`;
    const bare = { host, "content-length": "0" };
    expect((await ask("POST", "/nowhere", { host })).status).toBe(404);
    expect((await ask("POST", "/nowhere", bare)).status).toBe(404);
    // What a page elsewhere can send without a body: a form, a beacon, a fetch.
    const form = await ask("POST", "/nowhere", {
      ...bare,
      "content-type": "application/x-www-form-urlencoded",
    });
    const beacon = await ask("POST", "/nowhere", { ...bare, origin: "http://evil.example" });
    const fetched = await ask("POST", "/nowhere", { ...bare, "sec-fetch-site": "cross-site" });
    const chunked = await ask("POST", "/nowhere", { host, "transfer-encoding": "chunked" });
    expect([form, beacon, fetched, chunked].map(codeOf)).toEqual([
      "content_type_not_supported",
      "origin_not_allowed",
      "origin_not_allowed",
      "content_type_not_supported",
    ]);
  });

  /** Sends these bytes and returns all that comes back until the connection is closed. */
  const exchange = async (...pieces: string[]): Promise<string> => {
    const socket = connect(platform.port, "127.0.0.1");
    for (const piece of pieces) socket.write(piece);
    return text(socket);
  };

  it.each([
    ["what is not HTTP", "HELLO\r\n\r\n", 400, "malformed_request"],
    ["a request without a Host", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n", 403, "host_not_allowed"],
    [
      "two Hosts",
      "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
      400,
      "malformed_request",
    ],
    [
      "a target with a host",
      "GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
      400,
      "malformed_request",
    ],
    ["a target that is no path", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "malformed_request"],
    ["a tunnel", "CONNECT evil.example:80 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "malformed_request"],
    [
      "an unknown expectation",
      "GET / HTTP/1.1\r\nHost: localhost\r\nExpect: x\r\n\r\n",
      417,
      "expectation_failed",
    ],
    [
      "large headers",
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
      431,
      "headers_too_large",
    ],
    [
      "a foreign upload",
      "POST / HTTP/1.1\r\nHost: x.y\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n",
      403,
      "host_not_allowed",
    ],
    [
      "a DELETE with a form",
      "DELETE /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\na=b",
      415,
      "content_type_not_supported",
    ],
  ])("answers %s with an error in JSON", async (_, request, status, code) => {
    const answer = await exchange(request);
    expect(answer.split("\r\n")[0]).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "").error.code).toBe(code);
  });

  it.each(["cross-site", "same-site"])("refuses browser requests from a %s", async (site) => {
    const headers = { host: `localhost:${platform.port}`, "sec-fetch-site": site };
    const image = await ask("GET", "/healthz", {
      ...headers,
      "sec-fetch-mode": "no-cors",
      "sec-fetch-dest": "image",
    });
    const frame = await ask("GET", "/", {
      ...headers,
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": "iframe",
    });
    expect([image, frame].map(codeOf)).toEqual(["origin_not_allowed", "origin_not_allowed"]);
    const link = await ask("GET", "/", {
      ...headers,
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": "document",
    });
    expect([link.status, link.headers.location]).toEqual([302, "/status"]);
  });

  it("serves its metrics, including the journal's, to authorised callers (S2.17)", async () => {
    const { status, headers, body } = await ask("GET", "/metrics");
    expect([status, headers["content-type"]]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    expect(body).toMatch(/^journal_flushes \d+$/m);
    const foreign = await ask("GET", "/metrics", {
      host: `localhost:${platform.port}`,
      origin: "http://evil.example",
    });
    expect(codeOf(foreign)).toBe("origin_not_allowed");
  });

  it("answers every error as JSON", async () => {
    const answer = await ask("GET", "/no/such/thing");
    expect(answer.headers["content-type"]).toContain("application/json");
    expect(JSON.parse(answer.body)).toEqual({
      error: { code: "not_found", message: "Not found: GET /no/such/thing" },
    });
  });
});
