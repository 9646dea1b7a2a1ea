import { expect, it, onTestFinished } from "vitest";
import { RequestRates, requestLimits } from "./request-rates.ts";
import { ApiServer } from "./testing/api-server.ts";

const ann = { owner: "ann", workspace: "home" };
const limits = { commands: { perSecond: 2, atOnce: 3 }, reads: { perSecond: 100, atOnce: 100 } };

it("a caller who sends commands too fast gets a retry time, and other callers are not affected (S4.33: rate limits)", async () => {
  // So slow that no machine is too slow for it.
  const requests = { ...limits, commands: { perSecond: 0.01, atOnce: 3 } };
  const api = await ApiServer.start({ requests });
  onTestFinished(() => api.stop());
  const create = (owner: string) => api.ask("POST", "/api/v1/sessions", {}, { "x-test-owner": owner });
  const statuses = [];
  for (let count = 0; count < 4; count++) statuses.push((await create("ann")).status);
  expect(statuses).toEqual([201, 201, 201, 429]);
  const refused = await create("ann");
  expect(refused.json).toMatchObject({ status: 429, code: "rate_limited" });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(60);
  expect((await create("bob")).status).toBe(201);
  expect((await api.ask("GET", "/api/v1/sessions")).json.sessions).toHaveLength(3);
});

it("the allowance refills over time, up to the burst limit", () => {
  let now = 0;
  const rates = new RequestRates(limits, () => now);
  const taken = (most: number) => {
    for (let count = 0; count < most; count++)
      try {
        rates.count(ann, "commands");
      } catch {
        return count;
      }
    return most;
  };
  expect(taken(10)).toBe(3);
  now += 1_000;
  expect(taken(10)).toBe(2);
  now += 3_600_000;
  expect(taken(10)).toBe(3);
  expect(() => rates.count(ann, "reads")).not.toThrow();
});

it("the default limits do not affect one user's page and scripts, and 0 means no limit", () => {
  expect(requestLimits(100)?.commands).toEqual({ perSecond: 100, atOnce: 1_000 });
  expect(requestLimits(0)).toBeUndefined();
});
