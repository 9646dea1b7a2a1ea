import { afterAll, beforeAll, expect, it } from "vitest";
import { GuardedPlatform } from "./testing/guarded-platform.ts";

/** More at once than come back in the time that the slowest machine takes for them. */
const MANY = 200;

let platform: GuardedPlatform;
beforeAll(async () => {
  platform = await GuardedPlatform.start({ PARLEY_RATE: "1" });
}, 180_000);
afterAll(() => platform.stop());

it("the A2A endpoints have rate limits: excess calls get a 429 in each binding's format, and other callers are not affected (S4.33)", {
  timeout: 180_000,
}, async () => {
  const [ann, bob] = [await platform.key("ann", "home"), await platform.key("bob", "home")];
  const body = { jsonrpc: "2.0", id: 1, method: "tasks/get", params: { id: "none" } };
  const refused = async (path: string, sent: object) => {
    const calls = Array.from({ length: MANY }, () =>
      platform.ask("POST", path, { key: ann.secret, body: sent }),
    );
    return (await Promise.all(calls)).find(({ status }) => status === 429);
  };
  const rpc = await refused("/", body);
  expect(rpc?.json).toMatchObject({ jsonrpc: "2.0", error: { message: expect.stringContaining("wait") } });
  expect(Number(rpc?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await refused("/a2a/rest/message:send", {}))?.json.error.status).toBe("RESOURCE_EXHAUSTED");
  expect((await platform.ask("POST", "/", { key: bob.secret, body })).status).toBe(200);
});
