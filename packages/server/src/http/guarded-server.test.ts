import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { type GuardOptions, guardedServer } from "./guarded-server.ts";
import { listen } from "./listen.ts";

it("never writes a second answer into a connection that is being answered", async () => {
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

describe("a server with many slow callers", () => {
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

  it("gives up those whose headers do not come to an end, with an error in JSON, and serves the others", async () => {
    const port = await start({ headersTimeoutMs: 300 });
    const slow = Array.from({ length: 50 }, () =>
      drip(port, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "),
    );
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe("fine");
    for (const answer of await Promise.all(slow)) {
      expect(answer).toMatch(/^HTTP\/1.1 408 /);
      expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "").error.code).toBe("request_timeout");
    }
  });

  it("gives up a body that does not come to an end", async () => {
    const port = await start({ headersTimeoutMs: 300, requestTimeoutMs: 400 });
    const head =
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n";
    await expect(drip(port, head)).resolves.not.toContain("fine");
  });

  it("closes connections beyond the limit at once", async () => {
    const port = await start({ connections: 2 });
    const held = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")];
    await Promise.all(held.map((socket) => once(socket, "connect")));
    const third = connect(port, "127.0.0.1");
    expect(await text(third).catch(() => "")).toBe("");
    for (const socket of held) socket.destroy();
    await expect.poll(() => fetch(`http://127.0.0.1:${port}/`).then((it) => it.text(), String)).toBe("fine");
  });

  it("keeps a stream open that takes longer to answer than any request may take to arrive", async () => {
    const server = guardedServer(
      (_request, response) => {
        response.writeHead(200).write("a");
        setTimeout(() => response.end("b"), 500);
      },
      { headersTimeoutMs: 100, requestTimeoutMs: 200 },
    );
    const port = await listen(server, { host: "127.0.0.1", port: 0 });
    onTestFinished(() => void server.close());
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe("ab");
  });
});
