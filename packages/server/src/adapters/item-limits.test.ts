import type { Share } from "@parley/a2a";
import { cpuTime } from "@parley/testing/cpu-time.ts";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { ApiServer } from "../api/testing/api-server.ts";
import { LoopShares } from "../quotas/loop-shares.ts";

let server: ApiServer;
beforeAll(async () => {
  server = await ApiServer.start();
});
afterAll(() => server.stop());

const many = <Item>(count: number, item: Item) => Array<Item>(count).fill(item);

it.each([
  ["/agui", { threadId: "t", runId: "r", messages: many(10_001, { id: "m", role: "user", content: "" }) }],
  ["/ai", { id: "c", messages: many(10_001, { id: "m", role: "user", parts: [] }) }],
  ["/v1/chat/completions", { model: "supervisor", messages: many(5_001, { role: "user", content: "" }) }],
])("%s answers a list of too many items with 413, in its protocol's format", async (path, body) => {
  const { status, text } = await server.ask("POST", path, body);
  expect(status).toBe(413);
  expect(text).toContain("messages");
});

const call = (member: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"q":${member}}}}`;
const BODIES: readonly (readonly [path: string, body: (member: string) => string])[] = [
  ["/agui", (member) => `{"threadId":"t","runId":"r","messages":${member}}`],
  ["/ai", (member) => `{"id":"c","messages":${member}}`],
  ["/v1/chat/completions", (member) => `{"model":"supervisor","messages":${member}}`],
  ["/v1/responses", (member) => `{"model":"supervisor","input":[${member}]}`],
  ["/mcp", call],
];

it.each(BODIES)("%s refuses a body of millions of values for less than parsing costs", async (path, body) => {
  const values = body(`[${Array(2_000_000).fill("{}").join(",")}]`);
  const cost = async (work: () => unknown) => {
    const costs: number[] = [];
    for (let tries = 0; tries < 3; tries++) {
      const before = cpuTime();
      await work();
      costs.push(cpuTime() - before);
    }
    return Math.min(...costs);
  };
  const parsing = await cost(() => JSON.parse(values));
  // While the event loop was blocked, the connections to the other server became too old to be used again.
  const fresh = await ApiServer.start();
  onTestFinished(() => fresh.stop());
  const refusal = await cost(async () => {
    const { status, text } = await fresh.ask("POST", path, values, {
      Accept: "application/json, text/event-stream",
    });
    expect([status, text]).toEqual([413, expect.stringContaining("200000 values")]);
  });
  expect(refusal).toBeLessThan(parsing);
});

it("/mcp reads no large body of a viewer", async () => {
  const viewer = { owner: "vera", workspace: "home", role: "viewer", name: "Vera" } as const;
  const viewed = await ApiServer.start({}, undefined, { identityOf: () => viewer });
  onTestFinished(() => viewed.stop());
  const { status, text } = await viewed.ask("POST", "/mcp", call(`"${"x".repeat(1_048_576)}"`));
  expect([status, text]).toEqual([413, expect.stringContaining("1048576 bytes")]);
});

it("a large body is parsed in its own event-loop turn", async () => {
  class CountedShares extends LoopShares {
    bodies = 0;
    override enterBody(share: Share) {
      this.bodies++;
      return super.enterBody(share);
    }
  }
  const turns = new CountedShares();
  const shared = await ApiServer.start({}, undefined, { turns });
  onTestFinished(() => shared.stop());
  await shared.ask("POST", "/mcp", call(`"${"x".repeat(100_000)}"`));
  expect(turns.bodies).toBe(1);
});
