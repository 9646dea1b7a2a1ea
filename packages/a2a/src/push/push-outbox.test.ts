import { describe, expect, it } from "vitest";
import type { Caller } from "../tasks/caller.ts";
import { PushOutbox } from "./push-outbox.ts";
import { PATIENCE, startPushAgent } from "./testing/push-agent.ts";
import { storages } from "./testing/storages.ts";

const MINUTE = 60_000;
const failedAt = (taskId: string) => {
  const status = { state: "TASK_STATE_FAILED", timestamp: "2030-01-01T00:00:00Z" };
  return { statusUpdate: { taskId, contextId: "c", status } };
};

describe.each(storages)("the outbox on %s", (_, open) => {
  /** One webhook with the three statuses of a task, and no delivery worker. */
  const start = async (caller?: Caller) => {
    const { journal, delivery, send } = await startPushAgent(open);
    await delivery.stop();
    const { id: taskId } = await send(
      "go",
      { id: "c", url: "http://127.0.0.1:9/" },
      { ...(caller && { caller }) },
    );
    const worker = (claimMs = MINUTE) => new PushOutbox(journal.database, claimMs);
    return { journal, taskId, worker };
  };
  const claimed = async (outbox: PushOutbox) => {
    const due = await outbox.claim({});
    if (!due) throw new Error("nothing is due");
    return due;
  };

  it("gives a config to one worker at a time, oldest notification first", async () => {
    const { worker, taskId } = await start();
    const [one, two] = [worker(), worker()];
    const due = await claimed(one);
    expect(due).toMatchObject({ taskId, configId: "c", tries: 0 });
    expect(await two.claim({})).toBeUndefined();
    const second = await one.settle(due, { end: "delivered" });
    expect(second?.index).toBeGreaterThan(due.index);
    expect(await two.claim({})).toBeUndefined();
    if (second) await one.settle(second, { end: "put-back" });
    expect(await two.claim({})).toEqual(second);
  });

  it("skips configs of a host, owner or workspace at its limit", async () => {
    const { worker } = await start({ owner: "agent/home/ann", dialect: "1.0" });
    const parties = {
      host: "127.0.0.1",
      owner: "agent/home/ann",
      ownerAtHost: "agent/home/ann 127.0.0.1",
      workspace: "agent/home/",
    };
    for (const [kind, name] of Object.entries(parties))
      expect(await worker().claim({ [kind]: ["other", name] })).toBeUndefined();
    const others = { host: ["127.0.0.2"], owner: ["agent/home/bob"], workspace: ["agent/", "home/"] };
    expect(await worker().claim(others)).toMatchObject({ parties });
  });

  it("hands a config to another worker when its claim expires, and refuses writes of the former worker", async () => {
    const { worker } = await start();
    const [crashed, other] = [worker(1), worker()];
    const lost = await claimed(crashed);
    await expect.poll(() => other.claim({}), PATIENCE).toEqual(lost);
    expect(await crashed.settle(lost, { end: "delivered" })).toBeUndefined();
    const next = await other.settle(lost, { end: "dead", error: "no" });
    expect(next?.index).toBeGreaterThan(lost.index);
  });

  it("lets a failed notification delay later ones until its retry is due, whatever arrives meanwhile", async () => {
    const { worker, journal, taskId } = await start();
    const outbox = worker();
    const first = await claimed(outbox);
    expect(await outbox.settle(first, { end: "failed", error: "no", retryInMs: MINUTE })).toBeUndefined();
    await journal.append(`task/${taskId}`, [failedAt(taskId)]);
    expect(await outbox.claim({})).toBeUndefined();
    const wait = (await outbox.msToNext({})) ?? 0;
    expect(wait).toBeGreaterThan(MINUTE / 2);
    expect(wait).toBeLessThanOrEqual(MINUTE);
    expect(await outbox.msToNext({ host: [first.parties.host] })).toBeUndefined();
  });

  it("is empty once all is delivered, until the next status", async () => {
    const { worker, journal, taskId } = await start();
    const outbox = worker();
    let due: Awaited<ReturnType<PushOutbox["claim"]>> = await claimed(outbox);
    for (; due; ) due = await outbox.settle(due, { end: "delivered" });
    expect(await outbox.claim({})).toBeUndefined();
    expect(await journal.database.query("SELECT idx FROM push_outbox")).toEqual([]);
    const index = await journal.append(`task/${taskId}`, [failedAt(taskId)]);
    expect(await outbox.claim({})).toMatchObject({ index });
  });
});
