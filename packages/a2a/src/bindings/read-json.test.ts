import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BodyTooLargeError, TooManyCallsError } from "./http-error.ts";
import { MAX_BODY_BYTES } from "./json-limits.ts";
import { incomingBodies, needsTurn, readJson, readOptionalJson } from "./read-json.ts";

let server: Server;
let connection: Agent;
/** How often a body waited for a turn of its own. */
let turns: number;

/** Echoes the parsed body, or returns its error. */
beforeEach(async () => {
  turns = 0;
  server = createServer(async (incoming, response) => {
    const read = incoming.url === "/optional" ? readOptionalJson : readJson;
    const answer = await read(incoming, { owner: "ann", bodyTurn: async () => turns++ }).then(
      (body) => ({ body: body ?? "none" }),
      (error) => {
        if (error instanceof TooManyCallsError) return { error: "too many" };
        return { error: error instanceof BodyTooLargeError ? "too large" : error.kind };
      },
    );
    response.end(JSON.stringify(answer));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  connection = new Agent({ keepAlive: true, maxSockets: 1 });
});
afterEach(() => {
  connection.destroy();
  server.close();
});

async function post(
  path: string,
  chunks: readonly Buffer[],
  headers: Record<string, number> = {},
): Promise<unknown> {
  const { port } = server.address() as AddressInfo;
  const outgoing = request({ port, host: "127.0.0.1", path, method: "POST", agent: connection, headers });
  for (const chunk of chunks) outgoing.write(chunk);
  outgoing.end();
  const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
  return JSON.parse(Buffer.concat(await incoming.toArray()).toString());
}

describe("readJson", () => {
  it.each([
    ['{"a":1}', { body: { a: 1 } }],
    ["", { error: "ParseError" }],
    ["{", { error: "ParseError" }],
    ["[".repeat(65), { error: "InvalidRequest" }],
  ])("of %j answers %j", async (text, answer) => {
    expect(await post("/", [Buffer.from(text)])).toEqual(answer);
  });

  it("waits for its caller's turn before it parses a large or slow body", async () => {
    await post("/", [Buffer.from(JSON.stringify("x".repeat(65_536)))]);
    expect(turns).toBe(1);
    const now = performance.now();
    expect([needsTurn(65_536, now + 1_000), needsTurn(65_537, now + 1_000), needsTurn(1, now - 100)]).toEqual(
      [false, true, true],
    );
  });

  it("accepts a missing body where none is required", async () => {
    expect(await post("/optional", [])).toEqual({ body: "none" });
    expect(await post("/optional", [Buffer.from("{")])).toEqual({ error: "ParseError" });
  });

  it("refuses invalid UTF-8, but not the replacement character itself", async () => {
    expect(await post("/", [Buffer.from([0x22, 0xff, 0x22])])).toEqual({ error: "ParseError" });
    expect(await post("/", [Buffer.from('"\ufffd"')])).toEqual({ body: "\ufffd" });
  });

  it("refuses a body when its caller has too many bytes in flight, and serves the connection's next request", async () => {
    {
      using others = incomingBodies.of("ann");
      others.add(64 * 1_048_576);
      expect(await post("/", [Buffer.from("1")])).toEqual({ error: "too many" });
    }
    expect(await post("/", [Buffer.from("1")])).toEqual({ body: 1 });
  });

  it.each([
    ["announced", { "content-length": 4 * MAX_BODY_BYTES }],
    ["not announced", {}],
  ])(
    "refuses a large body whose length is %s, and serves the connection's next request",
    async (_, headers) => {
      const chunks = Array.from({ length: 64 }, () => Buffer.alloc(MAX_BODY_BYTES / 16, " "));
      expect(await post("/", chunks, headers)).toEqual({ error: "too large" });
      expect(await post("/", [Buffer.from("1")])).toEqual({ body: 1 });
    },
  );
});
