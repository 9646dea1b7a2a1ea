import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { problemAnswer, problemOf } from "@parley/adapters";
import { expect, it, onTestFinished } from "vitest";
import { guardedServer } from "./guarded-server.ts";
import { HeldAnswers } from "./held-answers.ts";
import { listen } from "./listen.ts";

/** Answers are created when the test releases them, or at once, with the length in their path. */
async function start(answers: HeldAnswers, { isPrompt = false } = {}) {
  const making: (() => void)[] = [];
  const callerOf = ({ headers }: IncomingMessage) => String(headers["x-caller"] ?? "ann");
  const server = guardedServer(async (request, response) => {
    try {
      await answers.enter(callerOf(request), request, response);
      if (!isPrompt) await new Promise<void>((made) => making.push(made));
      response.writeHead(200).end(Buffer.alloc(Number(request.url?.slice(1))));
    } catch (error) {
      const problem = problemOf(error);
      if (!problem) throw error;
      const { status, headers, body } = problemAnswer(problem);
      response.writeHead(status, headers).end(body);
    }
  });
  const port = await listen(server, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const ask = (bytes: number, init: RequestInit = {}) => fetch(`http://127.0.0.1:${port}/${bytes}`, init);
  return { making, port, ask };
}

it("HeldAnswers limits a caller's concurrent answers, whether or not they are awaited", async () => {
  const { making, port, ask } = await start(new HeldAnswers({ bytes: 1_000, making: 2 }));
  const gone = connect(port, "127.0.0.1");
  gone.write("GET /10 HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await expect.poll(() => making.length).toBe(1);
  gone.resetAndDestroy();
  const asked = Array.from({ length: 3 }, () => ask(10));
  await expect.poll(() => making.length).toBe(2);
  const other = ask(10, { headers: { "X-Caller": "bob" } });
  await expect.poll(() => making.length).toBe(3);
  making[2]?.();
  expect((await other).status).toBe(200);
  expect(making).toHaveLength(3);
  making[0]?.();
  await expect.poll(() => making.length).toBe(4);
  making[1]?.();
  await expect.poll(() => making.length).toBe(5);
  for (const made of making) made();
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 200]);
});

it("HeldAnswers refuses a caller with unread answers until they are read", async () => {
  const { port, ask } = await start(new HeldAnswers({ bytes: 1_000_000, making: 2 }), { isPrompt: true });
  const stalled = connect(port, "127.0.0.1").pause();
  stalled.write(`GET /${32 * 1_048_576} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await expect.poll(async () => (await ask(1)).status).toBe(429);
  for (const method of ["GET", "POST"]) {
    const refused = await ask(1, { method });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
  }
  expect((await ask(1, { headers: { "X-Caller": "bob" } })).status).toBe(200);
  stalled.resume();
  await expect.poll(async () => (await ask(1)).status).toBe(200);
  stalled.destroy();
  await once(stalled, "close");
});
