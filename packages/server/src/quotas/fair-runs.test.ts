import { afterAll, beforeAll, expect, it } from "vitest";
import { GuardedPlatform } from "../access/testing/guarded-platform.ts";

let platform: GuardedPlatform;
beforeAll(async () => {
  platform = await GuardedPlatform.start({ PARLEY_USER_ACTIVE_RUNS: "2", PARLEY_RATE: "1000" });
}, 120_000);
afterAll(() => platform.stop());

interface RunShown {
  readonly status: string;
  readonly startedAt: string;
  readonly completedAt?: string;
}

it("another user's run is not held up by the queued runs of one user (attack 8)", async () => {
  const [ann, bob] = [await platform.key("ann", "home"), await platform.key("bob", "home")];
  const begin = async (key: string) => {
    const { json } = await platform.ask("POST", "/api/v1/sessions", { key, body: {} });
    const path = `/api/v1/sessions/${json.session.id}`;
    const said = await platform.ask("POST", `${path}/messages`, { key, body: { content: "Count to 200" } });
    expect(said.status, said.text).toBe(201);
    return `${path}/runs/${said.json.run.id}`;
  };
  const run = async (key: string, path: string): Promise<RunShown> =>
    (await platform.ask("GET", path, { key })).json.run;
  const hers = [];
  for (let count = 0; count < 30; count++) hers.push(begin(ann.secret));
  const paths = await Promise.all(hers);
  const his = await begin(bob.secret);
  await expect.poll(async () => (await run(bob.secret, his)).status).toBe("completed");
  const waiting = async () => {
    const now = await Promise.all(paths.map((path) => run(ann.secret, path)));
    return now.filter(({ status }) => status !== "completed").length;
  };
  await expect.poll(waiting, { timeout: 90_000, interval: 1_000 }).toBe(0);
  // All of hers came first, and most of them still waited when his was done.
  const { completedAt: done = "" } = await run(bob.secret, his);
  const states = await Promise.all(paths.map((path) => run(ann.secret, path)));
  const before = states.filter(({ completedAt = "" }) => completedAt < done);
  expect(before.length).toBeLessThan(15);
});
