import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { loopbackBlocks } from "./address-rules.ts";
import {
  EgressConnectionError,
  EgressRefusedError,
  EgressTimeoutError,
  ResponseTooLargeError,
} from "./egress-errors.ts";
import { type EgressPolicy, streamLimits } from "./egress-policy.ts";
import { checkTarget } from "./egress-target.ts";
import { fetchWith, guardedFetch } from "./guarded-fetch.ts";
import { assertPeer } from "./pinned-connection.ts";
import { loopbackServer } from "./testing/loopback-server.ts";
import { selfSignedCertificate } from "./testing/self-signed-certificate.ts";

const run = promisify(execFile);
const local: EgressPolicy = { allow: loopbackBlocks };

/** A fake DNS that answers each query with the next answer, and then always with the last one. */
function answering(...answers: readonly string[]) {
  const left = [...answers];
  return vi.fn(async () => [(left.length > 1 ? left.shift() : left[0]) ?? ""]);
}

describe("a guarded fetch", () => {
  it("returns the response of an allow-listed server, with method, headers and body sent unchanged", async () => {
    const { port } = await loopbackServer(async (request, response) => {
      const chunks = await request.toArray();
      const { host, "x-token": token, "content-type": type } = request.headers;
      response.setHeader("set-cookie", ["a=1", "b=2"]);
      response.writeHead(201, { "x-path": request.url ?? "" });
      response.end(JSON.stringify([request.method, host, token, type, Buffer.concat(chunks).toString()]));
    });
    const response = await guardedFetch(
      `http://127.0.0.1:${port}/hook?q=%20#fragment`,
      {
        method: "POST",
        headers: { "x-token": "t", host: "evil.example", connection: "upgrade" },
        body: "grüße",
      },
      local,
    );
    expect(response.status).toBe(201);
    expect(response.headers.get("x-path")).toBe("/hook?q=%20");
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(await response.json()).toEqual([
      "POST",
      `127.0.0.1:${port}`,
      "t",
      "text/plain;charset=UTF-8",
      "grüße",
    ]);
  });

  it("reaches IPv6 addresses", async () => {
    const { port } = await loopbackServer((request, response) => response.end(request.headers.host), {
      address: "::1",
    });
    const response = await guardedFetch(`http://[::1]:${port}/`, {}, local);
    expect(await response.text()).toBe(`[::1]:${port}`);
  });

  it("does not connect to refused targets", async () => {
    const server = await loopbackServer((_, response) => response.end());
    const url = `http://127.0.0.1:${server.port}/`;
    await expect(guardedFetch(url, {}, {})).rejects.toThrow(EgressRefusedError);
    await expect(fetchWith({})(url)).rejects.toThrow(EgressRefusedError);
    expect(server.connections()).toBe(0);
  });

  it("resolves a name once and connects to that address, even if the name changes meanwhile", async () => {
    const first = await loopbackServer((request, response) => response.end(`first ${request.headers.host}`));
    const second = await loopbackServer((_, response) => response.end("second"), {
      address: "::1",
      port: first.port,
    });
    const lookup = answering("127.0.0.1", "::1");
    const response = await guardedFetch(`http://rebind.example:${first.port}/`, {}, { ...local, lookup });
    expect(await response.text()).toBe(`first rebind.example:${first.port}`);
    expect(lookup).toHaveBeenCalledTimes(1);
    expect(second.connections()).toBe(0);
  });

  it("checks again at delivery: a name that was public at registration and is private now is refused (S1.24)", async () => {
    const lookup = answering("93.184.216.34", "169.254.169.254");
    await checkTarget("https://rebind.example/", { lookup });
    await expect(guardedFetch("https://rebind.example/", {}, { lookup })).rejects.toMatchObject({
      reason: "address",
    });
  });

  it("tries the next checked address when one does not answer", async () => {
    const { port } = await loopbackServer((_, response) => response.end("there"));
    const lookup = async () => ["127.0.0.3", "127.0.0.1"];
    const response = await guardedFetch(`http://two.example:${port}/`, {}, { ...local, lookup });
    expect(await response.text()).toBe("there");
  });

  it("sends nothing when the peer is not the address that was checked", () => {
    expect(() => assertPeer("127.0.0.1", "127.0.0.1")).not.toThrow();
    expect(() => assertPeer("0:0:0:0:0:0:0:1", "::1")).not.toThrow();
    for (const peer of ["127.0.0.2", "::ffff:127.0.0.1", undefined]) {
      expect(() => assertPeer("127.0.0.1", peer)).toThrow(EgressRefusedError);
    }
  });

  it("does not follow redirects, and leaks no token to them", async () => {
    const target = await loopbackServer((_, response) => response.end("secret"));
    const { port } = await loopbackServer((_, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${target.port}/` }).end();
    });
    const init = { method: "POST", body: "x", headers: { authorization: "Bearer t" } };
    const response = await guardedFetch(`http://127.0.0.1:${port}/`, init, local);
    expect(response.status).toBe(307);
    expect(response.headers.get("location")).toBe(`http://127.0.0.1:${target.port}/`);
    expect(target.connections()).toBe(0);
  });

  it("ignores proxies from the environment, even where Node's own client uses them", async () => {
    const proxy = await loopbackServer((_, response) => response.end("proxied"));
    const { port } = await loopbackServer((_, response) => response.end("direct"));
    const script = `
      import { guardedFetch } from ${JSON.stringify(import.meta.resolve("./guarded-fetch.ts"))};
      import { loopbackBlocks } from ${JSON.stringify(import.meta.resolve("./address-rules.ts"))};
      const url = "http://127.0.0.1:${port}/";
      import { get } from "node:http";
      const plain = await new Promise((resolve) => get(url, resolve));
      const guarded = await guardedFetch(url, {}, { allow: loopbackBlocks });
      console.log(Buffer.concat(await plain.toArray()).toString(), await guarded.text());`;
    const through = `http://127.0.0.1:${proxy.port}`;
    const env = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: through, HTTPS_PROXY: through };
    const child = await run(process.execPath, ["--input-type=module", "--eval", script], { env });
    expect(child.stdout).toBe("proxied direct\n");
  });

  it("has no body where the status has none", async () => {
    const { port } = await loopbackServer((request, response) => {
      response.writeHead(request.method === "HEAD" ? 200 : 204, { "x-seen": "1" }).end();
    });
    for (const method of ["HEAD", "DELETE"]) {
      const response = await guardedFetch(`http://127.0.0.1:${port}/`, { method }, local);
      expect([response.body, response.headers.get("x-seen")]).toEqual([null, "1"]);
    }
  });

  it("reports a refused connection by its code", async () => {
    const error = await guardedFetch("http://127.0.0.1:1/secret?t=1", {}, local).catch((it: unknown) => it);
    expect(error).toBeInstanceOf(EgressConnectionError);
    expect(String(error)).toBe(
      "EgressConnectionError: The connection to http://127.0.0.1:1 failed (ECONNREFUSED)",
    );
  });

  it.each([600, 999])("refuses the invalid status %i, even if Response accepts it", async (status) => {
    class LaxResponse extends Response {
      constructor(...[body, init]: ConstructorParameters<typeof Response>) {
        super(body, { ...init, status: 200 });
      }
    }
    vi.stubGlobal("Response", LaxResponse);
    onTestFinished(() => void vi.unstubAllGlobals());
    const server = createServer((socket) =>
      socket.end(`HTTP/1.1 ${status} odd\r\ncontent-length: 0\r\n\r\n`),
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    await expect(guardedFetch(`http://127.0.0.1:${port}/`, {}, local)).rejects.toThrow(EgressConnectionError);
    server.close();
  });
});

describe("a guarded fetch over TLS", () => {
  it("checks the certificate against the name, not the pinned address", async () => {
    const certificate = selfSignedCertificate("agent.example");
    const { port } = await loopbackServer((request, response) => response.end(request.headers.host), {
      certificate,
    });
    const policy = { ...local, lookup: async () => ["127.0.0.1"] };
    const trusting = { ...policy, certificateAuthorities: [certificate.certificate] };
    const response = await guardedFetch(`https://agent.example:${port}/`, {}, trusting);
    expect(await response.text()).toBe(`agent.example:${port}`);
    const dotted = await guardedFetch(`https://agent.example.:${port}/`, {}, trusting);
    expect(dotted.status).toBe(200);
    await expect(guardedFetch(`https://other.example:${port}/`, {}, trusting)).rejects.toThrow(
      "ERR_TLS_CERT_ALTNAME_INVALID",
    );
    await expect(guardedFetch(`https://127.0.0.1:${port}/`, {}, trusting)).rejects.toThrow(
      EgressConnectionError,
    );
    await expect(guardedFetch(`https://agent.example:${port}/`, {}, policy)).rejects.toThrow(
      "DEPTH_ZERO_SELF_SIGNED_CERT",
    );
  });
});

describe("the limits of a guarded fetch", () => {
  it("abort a connection that is never accepted", async () => {
    const silent = createServer();
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    const address = silent.address();
    const port = typeof address === "object" ? address?.port : 0;
    const policy = { ...local, limits: { connect: 50 } };
    await expect(guardedFetch(`https://127.0.0.1:${port}/`, {}, policy)).rejects.toThrow(
      `https://127.0.0.1:${port}: connecting took more than 50 ms`,
    );
    silent.close();
  });

  it("abort a response that does not start", async () => {
    const { port } = await loopbackServer(() => undefined);
    const policy = { ...local, limits: { headers: 50 } };
    await expect(guardedFetch(`http://127.0.0.1:${port}/`, {}, policy)).rejects.toThrow(EgressTimeoutError);
  });

  it("abort a response that stalls", async () => {
    const { port } = await loopbackServer((_, response) => response.write("begun"));
    const policy = { ...local, limits: { idle: 50 } };
    const response = await guardedFetch(`http://127.0.0.1:${port}/`, {}, policy);
    await expect(response.text()).rejects.toThrow("the next piece of the answer took more than 50 ms");
  });

  it("abort a response that trickles forever, and close its connection", async () => {
    const closed = Promise.withResolvers<void>();
    const { port } = await loopbackServer((_, response) => {
      const drip = setInterval(() => response.write("."), 5);
      response.once("close", () => {
        clearInterval(drip);
        closed.resolve();
      });
    });
    const policy = { ...local, limits: { total: 500 } };
    const response = await guardedFetch(`http://127.0.0.1:${port}/`, {}, policy);
    await expect(response.text()).rejects.toThrow("the exchange took more than 500 ms");
    await closed.promise;
  });

  it.each([
    ["announces", { "content-length": "5000000" }],
    ["sends without announcing", {}],
  ])("abort a response that %s too much", async (_, headers) => {
    const { port } = await loopbackServer((__, response) => {
      response.writeHead(200, headers).end(Buffer.alloc(5_000_000));
    });
    const policy = { ...local, limits: { responseBytes: 1_000_000 } };
    const whole = guardedFetch(`http://127.0.0.1:${port}/`, {}, policy).then((it) => it.arrayBuffer());
    await expect(whole).rejects.toThrow(ResponseTooLargeError);
  });

  it("allow exactly the limit", async () => {
    const { port } = await loopbackServer((_, response) => response.end(Buffer.alloc(1_000)));
    const policy = { ...local, limits: { responseBytes: 1_000 } };
    const response = await guardedFetch(`http://127.0.0.1:${port}/`, {}, policy);
    expect((await response.arrayBuffer()).byteLength).toBe(1_000);
  });

  it("read no more of an endless stream than the reader consumes", async () => {
    let sent = 0;
    const { port } = await loopbackServer((_, response) => {
      const piece = Buffer.alloc(65_536);
      const pump = () => {
        do {
          sent += piece.length;
        } while (response.write(piece));
        response.once("drain", pump);
      };
      pump();
    });
    const response = await guardedFetch(`http://127.0.0.1:${port}/`, {}, { ...local, limits: streamLimits });
    const reader = response.body?.getReader();
    await reader?.read();
    await wait(300);
    expect(sent).toBeLessThan(16_000_000);
    await reader?.cancel();
  });

  it("are combined with the caller's own signal, before and during the response", async () => {
    const { port } = await loopbackServer((_, response) => response.write("begun"));
    const url = `http://127.0.0.1:${port}/`;
    const reason = new Error("enough");
    await expect(guardedFetch(url, { signal: AbortSignal.abort(reason) }, local)).rejects.toBe(reason);
    const controller = new AbortController();
    const response = await guardedFetch(url, { signal: controller.signal }, local);
    const text = response.text();
    controller.abort(reason);
    await expect(text).rejects.toBe(reason);
  });

  it("deliver nothing after the caller's signal, not even received data", async () => {
    const more = Promise.withResolvers<void>();
    const sent = Promise.withResolvers<void>();
    const { port } = await loopbackServer(async (_, response) => {
      response.write("one");
      await more.promise;
      response.write("two", () => sent.resolve());
    });
    const controller = new AbortController();
    const { body } = await guardedFetch(`http://127.0.0.1:${port}/`, { signal: controller.signal }, local);
    const reader = body?.getReader();
    await reader?.read();
    more.resolve();
    await sent.promise;
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(reader?.read()).rejects.toBe(reason);
  });

  it("report a connection that breaks during the response", async () => {
    const { port } = await loopbackServer((_, response) => {
      response.writeHead(200, { "content-length": "10" }).write("half");
      setTimeout(() => response.destroy(), 20);
    });
    const response = await guardedFetch(`http://127.0.0.1:${port}/`, {}, local);
    await expect(response.text()).rejects.toThrow(EgressConnectionError);
  });

  it("close the connection when the reader cancels", async () => {
    const closed = Promise.withResolvers<void>();
    const { port } = await loopbackServer((_, response) => {
      response.write("begun");
      response.once("close", () => closed.resolve());
    });
    const response = await guardedFetch(`http://127.0.0.1:${port}/`, {}, local);
    await response.body?.cancel();
    await closed.promise;
  });
});
