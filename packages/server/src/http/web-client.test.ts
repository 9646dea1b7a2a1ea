import { request } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, it, onTestFinished } from "vitest";
import { guardedServer } from "./guarded-server.ts";
import { listen } from "./listen.ts";
import { readWebClient, type WebClientSource, webClientListener } from "./web-client.ts";

async function serve(source: WebClientSource) {
  const server = guardedServer(webClientListener(source));
  const port = await listen(server, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => void server.close());
  // Not by fetch, which unpacks what it gets and tidies paths.
  return (path: string, headers: Record<string, string> = {}, method = "GET") =>
    new Promise<{ status: number | undefined; headers: Record<string, unknown>; body: Buffer }>(
      (resolve, reject) => {
        request({ host: "127.0.0.1", port, path, method, headers }, async (response) =>
          resolve({ status: response.statusCode, headers: response.headers, body: await buffer(response) }),
        )
          .on("error", reject)
          .end();
      },
    );
}

async function built() {
  const folder = await testFolder({
    "index.html": "<p>entry</p>",
    "worker.js": "keep()",
    "assets/main-1.js": "run()",
    "assets/main-1.js.gz": "gz",
    "assets/main-1.js.br": "br",
    "secret.key": "secret",
  });
  return serve(async () => readWebClient(join(folder)));
}

it("the web client's entry is served at every page's path, under a policy that blocks foreign scripts", async () => {
  const get = await built();
  for (const path of ["/s", "/s/", "/s/ses_1?event=3", "/s/inbox", "/s/a/b"]) {
    const { status, headers, body } = await get(path);
    expect([status, headers["content-type"], body.toString()]).toEqual([
      200,
      "text/html; charset=utf-8",
      "<p>entry</p>",
    ]);
    expect(headers["content-security-policy"]).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self'",
    );
    expect(headers["content-security-policy"]).not.toContain("unsafe");
    expect([headers["x-content-type-options"], headers["cache-control"]]).toEqual(["nosniff", "no-cache"]);
  }
});

it("the entry is not sent again to a client that has it", async () => {
  const get = await built();
  const { etag } = (await get("/s/")).headers;
  const again = await get("/s/inbox", { "if-none-match": String(etag) });
  expect([again.status, again.body.length]).toEqual([304, 0]);
  expect((await get("/s/", { "if-none-match": '"other"' })).status).toBe(200);
});

it("assets are cacheable forever, in the smallest encoding that the browser accepts", async () => {
  const get = await built();
  const encodings = ["", "gzip", "gzip, deflate, br", "br;q=0, gzip"].map(async (accepted) => {
    const { headers } = await get("/s/assets/main-1.js", accepted ? { "accept-encoding": accepted } : {});
    expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    expect(headers.vary).toBe("Accept-Encoding");
    return headers["content-encoding"];
  });
  expect(await Promise.all(encodings)).toEqual([undefined, "gzip", "br", "gzip"]);
});

it("the service worker is revalidated, and its scope is the whole origin", async () => {
  const { status, headers, body } = await (await built())("/s/worker.js");
  expect([status, body.toString(), headers["cache-control"]]).toEqual([200, "keep()", "no-cache"]);
  expect(headers["content-type"]).toBe("text/javascript; charset=utf-8");
  expect(headers["service-worker-allowed"]).toBe("/");
  expect(headers["content-security-policy"]).toContain("connect-src 'self'");
});

it.each([
  ["/s/assets/none.js", 404],
  ["/s/assets/../secret.key", 400],
  ["/s/assets/main-1.js.br", 404],
  ["/s/assets/%2e%2e/index.html", 400],
])("the web client answers 404 at %s", async (path, refused) => {
  const { status, headers } = await (await built())(path);
  expect([status, headers["content-type"]]).toEqual([refused, "application/json"]);
});

it("HEAD is answered without a body, and other methods are refused", async () => {
  const get = await built();
  const head = await get("/s/", {}, "HEAD");
  expect([head.status, head.headers["content-length"], head.body.length]).toEqual([200, "12", 0]);
  expect((await get("/s/", {}, "DELETE")).status).toBe(405);
});

it("a missing build is reported with what to do", async () => {
  const { status, body } = await (await serve(async () => undefined))("/s/");
  expect([status, JSON.parse(body.toString()).error.code]).toEqual([503, "web_client_missing"]);
});
