import { describe, expect, it } from "vitest";
import { FairQueue, type Share } from "./fair-queue.ts";

const at = (workspace: string, user: string): Share => ({ workspace, user });
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Enters for each, and notes the order in which they are served. */
function entered(queue: FairQueue, shares: readonly Share[]) {
  const served: string[] = [];
  const turns: Disposable[] = [];
  for (const share of shares)
    void queue.enter(share).then((turn) => {
      served.push(`${share.workspace}/${share.user}`);
      turns.push(turn);
    });
  return { served, end: () => turns.shift()?.[Symbol.dispose]() };
}

describe("FairQueue", () => {
  it("serves workspaces round-robin, and the users in each, however much one of them queues", async () => {
    const queue = new FairQueue({ total: 1 });
    const many = Array.from({ length: 100 }, () => at("a", "ann"));
    const { served, end } = entered(queue, [...many, at("a", "bob"), at("b", "carl"), at("b", "carl")]);
    for (let count = 0; count < 6; count++) {
      await settled();
      end();
    }
    expect(served.slice(0, 6)).toEqual(["a/ann", "a/ann", "b/carl", "a/bob", "b/carl", "a/ann"]);
  });

  it("limits one user's concurrency, and lets others pass the waiting ones", async () => {
    const queue = new FairQueue({ perUser: 2 });
    const { served, end } = entered(queue, [
      ...Array.from({ length: 5 }, () => at("a", "ann")),
      at("a", "bob"),
    ]);
    await settled();
    expect(served).toEqual(["a/ann", "a/ann", "a/bob"]);
    end();
    await settled();
    expect(served).toEqual(["a/ann", "a/ann", "a/bob", "a/ann"]);
  });

  it("drops an aborted waiter, and serves the next", async () => {
    const queue = new FairQueue({ total: 1 });
    const first = await queue.enter(at("a", "ann"));
    const abort = new AbortController();
    const given = queue.enter(at("a", "ann"), abort.signal);
    const next = queue.enter(at("a", "bob"));
    abort.abort(new Error("enough"));
    await expect(given).rejects.toThrow("enough");
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    (await next)[Symbol.dispose]();
    await expect(queue.enter(at("a", "ann"), abort.signal)).rejects.toThrow("enough");
    (await queue.enter(at("a", "ann")))[Symbol.dispose]();
  });
});
