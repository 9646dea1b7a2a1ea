import { Problem } from "@parley/adapters";
import { describe, expect, it } from "vitest";
import { LoopShares, unauthenticatedShare } from "./loop-shares.ts";

const at = (user: string, workspace = "office") => ({ workspace, user });

/** An event loop with a manual clock. */
function loop() {
  const clock = { at: 0, spent: 0, now: () => clock.at, busy: () => clock.spent };
  const passes = (ms: number, { busy = 0 } = {}) => {
    clock.at += ms;
    clock.spent += busy;
  };
  return { shares: new LoopShares(clock), passes };
}

/** Begins three turns of mallory's beside one of ann's, which together keep the loop busy for 0.9 s. */
async function busyMoment({ shares, passes }: ReturnType<typeof loop>): Promise<void> {
  const turns = [await shares.enter(at("ann"))];
  for (let count = 0; count < 3; count++) turns.push(await shares.enter(at("mallory")));
  passes(900, { busy: 900 });
  for (const turn of turns) turn[Symbol.dispose]();
}

async function isWaiting(turn: Promise<unknown>): Promise<boolean> {
  return (
    (await Promise.race([turn, new Promise((resolve) => setImmediate(resolve, "waiting"))])) === "waiting"
  );
}

describe("LoopShares", () => {
  it("lets a single user use the whole event loop", async () => {
    const { shares, passes } = loop();
    for (let count = 0; count < 20; count++) {
      using _ = await shares.enter(at("mallory"));
      passes(1_000, { busy: 1_000 });
    }
  });

  it("delays only the user who exceeded a share, until the share has caught up", async () => {
    const busy = loop();
    await busyMoment(busy);
    const next = busy.shares.enter(at("mallory"));
    expect(await isWaiting(next)).toBe(true);
    expect(await isWaiting(busy.shares.enter(at("ann")))).toBe(false);
    busy.passes(900);
    await next;
  });

  it("charges a user for all of the time during which others are held up", async () => {
    const { shares, passes } = loop();
    const held = shares.hold(at("mallory"));
    passes(1_000);
    held[Symbol.dispose]();
    using _ = await shares.enter(at("ann"));
    expect(await isWaiting(shares.enter(at("mallory")))).toBe(true);
  });

  it("delays a request for at most five seconds, however much its user has used", async () => {
    const { shares, passes } = loop();
    const held = shares.hold(at("mallory"));
    passes(60_000);
    held[Symbol.dispose]();
    using _ = await shares.enter(at("ann"));
    const next = shares.enter(at("mallory"));
    passes(4_000);
    using __ = await shares.enter(at("ann"));
    expect(await isWaiting(next)).toBe(true);
    passes(1_001);
    using ___ = await shares.enter(at("ann"));
    await next;
  });

  it("delays a run for at most five seconds, whatever the user's earlier requests cost", async () => {
    const { shares, passes } = loop();
    const annVisits = async () => (await shares.enter(at("ann")))[Symbol.dispose]();
    const spend = () => {
      using _ = shares.hold(at("mallory"));
      passes(2_000);
      return annVisits();
    };
    await spend();
    for (let count = 0; count < 4; count++) void shares.enterRequest(at("mallory")).then(spend);
    const run = shares.enterRun(at("mallory"));
    expect(await isWaiting(run)).toBe(true);
    passes(5_000);
    await annVisits();
    using _ = await run;
  });

  it("delays a run for at most five seconds, however much others in the workspace use meanwhile", async () => {
    const { shares, passes } = loop();
    const annVisits = async () => (await shares.enter(at("ann")))[Symbol.dispose]();
    const spend = (ms: number) => {
      using _ = shares.hold(at("mallory", "market"));
      passes(ms);
    };
    spend(3_000);
    await annVisits();
    const runs = [shares.enterRun(at("carl", "market")), shares.enterRun(at("carl", "market"))];
    spend(4_999);
    await annVisits();
    expect(await isWaiting(Promise.race(runs))).toBe(true);
    spend(1);
    await annVisits();
    await Promise.all(runs);
  });

  it("refuses a user with a hundred queued requests, with a retry time", async () => {
    const busy = loop();
    await busyMoment(busy);
    const gone = new AbortController();
    const turns = Array.from({ length: 100 }, () => busy.shares.enter(at("mallory"), gone.signal));
    expect(() => busy.shares.enterRequest(at("mallory"))).toThrowError(Problem);
    using _ = await busy.shares.enterRequest(at("ann"));
    gone.abort(new Error("gone"));
    for (const turn of turns) await expect(turn).rejects.toThrow("gone");
    expect(await isWaiting(busy.shares.enterRequest(at("mallory")))).toBe(true);
  });

  it("gives the accounts of one workspace one share together, and other workspaces their own", async () => {
    const { shares, passes } = loop();
    const accounts = Array.from({ length: 12 }, (_, n) => at(`account-${n}`, "mallory's"));
    const turns = [await shares.enter(at("ann"))];
    for (const account of accounts) turns.push(await shares.enter(account));
    passes(2_600, { busy: 2_600 });
    for (const turn of turns) turn[Symbol.dispose]();
    using _ = await shares.enter(at("ann"));
    // None of them took more than the share of a user.
    for (const account of [...accounts, at("new", "mallory's")])
      expect(await isWaiting(shares.enter(account))).toBe(true);
    for (const other of [at("bob"), at("carl", "home")])
      expect(await isWaiting(shares.enter(other))).toBe(false);
  });

  it("lets a single active workspace use the whole event loop, shared among its users", async () => {
    const { shares, passes } = loop();
    for (let count = 0; count < 20; count++) {
      for (const user of ["ann", "bob", "carl", "dora"]) {
        using _ = await shares.enter(at(user));
        passes(50, { busy: 50 });
      }
    }
  });

  it("lets anonymous clients at one address load many small files at once beside users", async () => {
    const { shares } = loop();
    using _ = await shares.enter(at("ann"));
    const files = Array.from({ length: 250 }, () => shares.enterRequest(unauthenticatedShare("192.0.2.1")));
    expect(await isWaiting(Promise.all(files))).toBe(false);
  });

  it("gives each anonymous network a share", async () => {
    const { shares, passes } = loop();
    using _ = await shares.enter(at("ann"));
    const turn = await shares.enter(unauthenticatedShare("2001:db8::1"));
    passes(2_000, { busy: 2_000 });
    turn[Symbol.dispose]();
    expect(await isWaiting(shares.enter(unauthenticatedShare("2001:db8::2")))).toBe(true);
    expect(await isWaiting(shares.enter(unauthenticatedShare("192.0.2.1")))).toBe(false);
  });

  it("charges a user for each large body before the next one is processed", async () => {
    const { shares, passes } = loop();
    using _ = await shares.enter(at("ann"));
    let parsed = 0;
    for (let body = 0; body < 3; body++)
      void shares.enterBody(at("mallory")).then(() => {
        parsed++;
        passes(2_000, { busy: 2_000 });
      });
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(parsed).toBe(1);
    expect(await isWaiting(shares.enterBody(at("bob")))).toBe(false);
  });
});
