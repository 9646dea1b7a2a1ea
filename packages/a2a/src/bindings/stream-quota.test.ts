import { describe, expect, it } from "vitest";
import { TooManyCallsError } from "./http-error.ts";
import { StreamQuota } from "./stream-quota.ts";
import { AgentServer, errorOf, inDialects } from "./testing/agent-server.ts";

const wait = { message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "wait" }] } };

describe("a caller's streams", () => {
  it("are refused beyond the limit in every dialect with advice, and accepted again when one is closed", async () => {
    const agent = await AgentServer.start({ limits: { streams: 2 } });
    const closing = new AbortController();
    const open = (signal?: AbortSignal) =>
      fetch(`${agent.url}/a2a/rest/message:stream`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(wait),
        ...(signal && { signal }),
      });
    expect([(await open()).status, (await open(closing.signal)).status]).toEqual([200, 200]);

    const refused = await open();
    expect([refused.status, refused.headers.get("retry-after"), await errorOf(refused)]).toMatchObject([
      429,
      "5",
      { code: 429, status: "RESOURCE_EXHAUSTED", message: expect.stringContaining("close one") },
    ]);
    for (const [, , stream, params] of inDialects("wait")) {
      const response = await agent.rpc(stream, params);
      expect([response.status, response.headers.get("retry-after")]).toEqual([429, "5"]);
      const error = await errorOf(response);
      expect([error.code, JSON.stringify(error)]).toEqual([-32600, expect.stringContaining("close one")]);
    }
    expect(
      (await agent.rest("POST", "/message:stream", wait, { authorization: "someone else" })).status,
    ).toBe(200);

    closing.abort();
    await expect.poll(async () => (await open()).status).toBe(200);
  });

  it("are released also when their work fails", () => {
    const quota = new StreamQuota({ streams: 1, streamsInAll: 10 });
    const failing = () => {
      using _place = quota.take({ owner: "a" });
      throw new Error("no");
    };
    expect(failing).toThrow("no");
    expect(failing).toThrow("no");
    using _held = quota.take({ owner: "a" });
    expect(failing).toThrow(TooManyCallsError);
  });

  it("are counted by the caller's own quota if it has one", () => {
    const quota = new StreamQuota({ streams: 0, streamsInAll: 10 });
    const open = new Set<Disposable>();
    const stream = () => {
      if (open.size > 0) throw new TooManyCallsError("You have 1 of 1 streams", 5);
      const place = { [Symbol.dispose]: () => open.delete(place) };
      open.add(place);
      return place;
    };
    const caller = { owner: "a", quota: { stream, message: async () => undefined } };
    {
      using _held = quota.take(caller);
      expect(() => quota.take(caller)).toThrow(TooManyCallsError);
    }
    using _again = quota.take(caller);
    expect(open.size).toBe(1);
  });

  it("are refused when all callers together have reached the total limit", async () => {
    const agent = await AgentServer.start({ limits: { streamsInAll: 1 } });
    const open = (authorization: string) => agent.rest("POST", "/message:stream", wait, { authorization });
    expect((await open("alice")).status).toBe(200);
    const refused = await open("bob");
    expect([refused.status, (await errorOf(refused)).message]).toEqual([
      429,
      "All callers together have 1 streams open, which is the most: try again in 5 seconds",
    ]);
  });
});
