import { afterAll, beforeAll, expect, it } from "vitest";
import { GuardedPlatform } from "./testing/guarded-platform.ts";

let platform: GuardedPlatform;
beforeAll(async () => {
  platform = await GuardedPlatform.start({ PARLEY_RATE: "1" });
}, 120_000);
afterAll(() => platform.stop());

it("the doors of A2A have the API's limits: too many calls are a 429 in the words of each, and only for who makes them (S4.33)", async () => {
  const [ann, bob] = [await platform.key("ann", "home"), await platform.key("bob", "home")];
  const body = { jsonrpc: "2.0", id: 1, method: "tasks/get", params: { id: "none" } };
  const call = (key: string) => platform.ask("POST", "/", { key, body });
  const answers = [];
  for (let count = 0; count < 15; count++) answers.push(await call(ann.secret));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(2);
  expect(refused[0]?.json).toMatchObject({
    jsonrpc: "2.0",
    error: { message: expect.stringContaining("wait") },
  });
  expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
  const rest = await platform.ask("POST", "/a2a/rest/message:send", { key: ann.secret, body: {} });
  expect([rest.status, rest.json.error.status]).toEqual([429, "RESOURCE_EXHAUSTED"]);
  expect((await call(bob.secret)).status).toBe(200);
});
