import { once } from "node:events";
import { type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { parseCidrList } from "@parley/a2a";
import { describe, expect, it, onTestFinished } from "vitest";
import { vouchFor } from "./connections.ts";
import { type GuardOptions, guardedServer } from "./guarded-server.ts";
import { listen } from "./listen.ts";

it("guardedServer never writes a second response to a connection with a response in progress", async () => {
  const server = guardedServer((_request, response) => response.writeHead(200).write("the beginning"));
  const port = await listen(server, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => void server.close());
  const socket = connect(port, "127.0.0.1");
  const headers = "Host: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
  socket.write(`POST / HTTP/1.1\r\n${headers}`);
  const [first] = await once(socket, "data");
  socket.write("this is no chunk\r\n");
  const rest = await text(socket).catch(() => "cut");
  expect(String(first)).toContain("HTTP/1.1 200 OK");
  expect(rest).not.toContain("HTTP/1.1");
});

describe("a pipelined request", () => {
  const start = async () => {
    const served: string[] = [];
    const open: ServerResponse[] = [];
    const server = guardedServer((request, response) => {
      served.push(`${request.method} ${request.url}`);
      if (request.url === "/open") open.push(response.writeHead(200));
      else request.resume().on("end", () => response.end(request.url));
      if (request.url === "/open") response.write("open");
    });
    const port = await listen(server, { host: "127.0.0.1", port: 0 });
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => {
      socket.destroy();
      server.close();
      server.closeAllConnections();
    });
    return { served, open, socket: socket.on("error", () => {}) };
  };
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

  it("is served in order, and the connection stays open", async () => {
    const { served, open, socket } = await start();
    let answers = "";
    socket.on("data", (piece) => {
      answers += piece;
    });
    const type = "Content-Type: application/json\r\nContent-Length: 200000";
    socket.write(get("/a") + get("/open"));
    socket.write(`POST /b HTTP/1.1\r\nHost: localhost\r\n${type}\r\n\r\n${" ".repeat(200_000)}${get("/c")}`);
    await expect.poll(() => answers).toContain("open");
    socket.write(get("/d"));
    expect(served).toEqual(["GET /a", "GET /open"]);
    open[0]?.end();
    await expect.poll(() => answers).toContain("/d");
    expect(served).toEqual(["GET /a", "GET /open", "POST /b", "GET /c", "GET /d"]);
    socket.write(get("/e"));
    await expect.poll(() => answers).toContain("/e");
  });

  it("is not served if the connection closes first or too many are queued", async () => {
    const { served, socket } = await start();
    socket.write(get("/open") + get("/a"));
    await once(socket, "data");
    socket.destroy();
    const other = await start();
    other.socket.write(get("/open") + get("/a").repeat(1_000));
    await once(other.socket, "close");
    expect([...served, ...other.served]).toEqual(["GET /open", "GET /open"]);
  });
});

describe("a server with many slow clients", () => {
  const start = async (limits: GuardOptions) => {
    const server = guardedServer((request, response) => {
      request.resume().on("end", () => response.writeHead(200).end("fine"));
    }, limits);
    const port = await listen(server, { host: "127.0.0.1", port: 0 });
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    return port;
  };
  /** Writes the beginning and then a byte now and then, as a slow-loris attack does; resolves with what came back. */
  const drip = (port: number, beginning: string) => {
    const socket = connect(port, "127.0.0.1");
    socket.write(beginning);
    const dripping = setInterval(() => socket.write("X"), 20);
    socket.on("close", () => clearInterval(dripping)).on("error", () => clearInterval(dripping));
    return text(socket).catch(() => "cut");
  };

  it("times out incomplete headers with an error in JSON, and serves the others", async () => {
    const port = await start({ headersTimeoutMs: 1_500 });
    const slow = Array.from({ length: 50 }, () =>
      drip(port, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "),
    );
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe("fine");
    for (const answer of await Promise.all(slow)) {
      expect(answer).toMatch(/^HTTP\/1.1 408 /);
      expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "").error.code).toBe("request_timeout");
    }
  });

  it("times out an incomplete body", async () => {
    const port = await start({ headersTimeoutMs: 300, requestTimeoutMs: 400 });
    const head =
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n";
    await expect(drip(port, head)).resolves.not.toContain("fine");
  });

  it("keeps a response stream open longer than the request timeout", async () => {
    const server = guardedServer(
      (_request, response) => {
        response.writeHead(200).write("a");
        setTimeout(() => response.end("b"), 3_000);
      },
      { headersTimeoutMs: 1_000, requestTimeoutMs: 1_500 },
    );
    const port = await listen(server, { host: "127.0.0.1", port: 0 });
    onTestFinished(() => void server.close());
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe("ab");
  });
});

describe("a server at its connection limit", () => {
  /** Leaves requests to `/open` unanswered; those with `X-Key` are authenticated. */
  const routes = (request: IncomingMessage, response: ServerResponse) => {
    if (request.headers["x-key"] !== undefined) vouchFor(request, response);
    if (request.url === "/open") response.writeHead(200).write("open");
    else if (request.url === "/large") response.writeHead(200).end(Buffer.alloc(64 * 1_048_576));
    else response.writeHead(200).end("fine");
  };
  const start = async (limits: GuardOptions): Promise<{ server: Server; port: number }> => {
    const server = guardedServer(routes, { isAuthenticated: true, ...limits });
    const port = await listen(server, { host: "127.0.0.1", port: 0 });
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    return { server, port };
  };
  const silent = async (port: number, localAddress = "127.0.0.1"): Promise<Socket> => {
    const socket = connect({ port, host: "127.0.0.1", localAddress, allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    await once(
      socket.on("error", () => {}),
      "connect",
    );
    return socket;
  };
  /** The status, or that there was no answer. */
  const asked = (
    port: number,
    path: string,
    headers: Record<string, string> = {},
  ): Promise<number | string> =>
    new Promise((resolve) => {
      const sent = request({
        port,
        host: "127.0.0.1",
        path,
        agent: false,
        headers: { host: "localhost", ...headers },
      });
      onTestFinished(() => void sent.destroy());
      sent.on("error", () => resolve("cut")).on("response", (response) => resolve(response.statusCode ?? 0));
      sent.end();
    });
  const open = (server: Server) =>
    new Promise<number>((resolve, reject) =>
      server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );

  it("destroys connections that sent no request in time, even if their clients keep them open", async () => {
    const { server, port } = await start({ headersTimeoutMs: 100 });
    await Promise.all(Array.from({ length: 20 }, () => silent(port)));
    await expect.poll(() => open(server), { timeout: 60_000 }).toBe(0);
  });

  it("closes the longest idle connection, and serves the next", async () => {
    const { server, port } = await start({ connections: 10 });
    const held: Socket[] = [];
    for (let count = 0; count < 30; count++) held.push(await silent(port));
    expect(await asked(port, "/")).toBe(200);
    await expect
      .poll(() => held.map(({ readableEnded, destroyed }) => readableEnded || destroyed))
      .toEqual([...Array.from({ length: 21 }, () => true), ...Array.from({ length: 9 }, () => false)]);
    expect(await open(server)).toBeLessThanOrEqual(10);
  });

  it("does not evict one address for another, nor count authenticated callers as anonymous", async () => {
    const { port } = await start({ guestsPerAddress: 3 });
    const other = await silent(port, "127.0.0.2");
    for (let count = 0; count < 10; count++) await silent(port);
    expect(other.destroyed || other.readableEnded).toBe(false);
    for (let count = 0; count < 10; count++) expect(await asked(port, "/open", { "x-key": "a" })).toBe(200);
    for (let count = 0; count < 3; count++) expect(await asked(port, "/open")).toBe(200);
    expect(await asked(port, "/")).toBe("cut");
  });

  it("counts the clients of a trusted proxy, not the proxy itself", async () => {
    const { port } = await start({ guestsPerAddress: 2, trustedProxies: parseCidrList("127.0.0.0/8") });
    const from = (address: string) => asked(port, "/open", { "x-forwarded-for": address });
    const one = [await from("192.0.2.1"), await from("192.0.2.1"), await from("192.0.2.1")];
    expect([...one, await from("192.0.2.2")]).toEqual([200, 200, 503, 200]);
    // An address of IPv6 is as good as any other of its network.
    const two = [await from("2001:db8::1"), await from("2001:db8::2"), await from("2001:db8::3")];
    expect([...two, await from("2001:db8:0:1::1")]).toEqual([200, 200, 503, 200]);
  });

  it("still answers probes when every connection is in use", async () => {
    const { port } = await start({ connections: 3 });
    for (let count = 0; count < 3; count++) expect(await asked(port, "/open", { "x-key": "a" })).toBe(200);
    expect(await Promise.all(["/healthz", "/readyz", "/"].map((path) => asked(port, path)))).toEqual([
      200, 200, 503,
    ]);
    // The reserve is not for those who are silent either.
    for (let count = 0; count < 150; count++) await silent(port);
    expect(await asked(port, "/healthz")).toBe(200);
  });

  it("disconnects a client that does not read its response", async () => {
    const { server, port } = await start({ stalledMs: 300 });
    const socket = await silent(port);
    socket.pause().write("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await expect.poll(() => open(server), { timeout: 60_000 }).toBe(0);
    expect(await asked(port, "/open")).toBe(200);
  });
});
