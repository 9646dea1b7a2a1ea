import { describe, expect, it } from "vitest";
import type { Principal } from "../domain/session-command.ts";
import { sessionStream, workspaceStream } from "../session-streams.ts";
import { Sessions } from "../sessions.ts";
import { commandHash, KeyReusedError } from "./idempotency-keys.ts";
import { ann } from "./testing/facade-moves.ts";
import { openRecord, STORAGES } from "./testing/storages.ts";

const run = (runId: string) => ({ runId, agent: "a", agentUrl: "http://a", contextId: runId });
const post = (n: number, content = "hello") =>
  ({ type: "postMessage", messageId: `m${n}`, content, run: run(`r${n}`) }) as const;

describe.each(STORAGES)("an idempotency key on %s", (storage) => {
  it("returns the first effect of its command, in a later process and after more has happened (invariant 4)", async () => {
    const { sessions, journal } = await openRecord(storage);
    const told: string[] = [];
    sessions.onCommitted((id, events) => told.push(`${id}: ${events.map(({ type }) => type)}`));
    await sessions.execute(ann, "s", { type: "create", ...ann });
    const first = await sessions.execute(ann, "s", post(1), { key: "k" });
    await sessions.execute(ann, "s", { type: "cancelRun", runId: "r1" });
    await sessions.execute(ann, "s", post(2, "more"));
    const later = new Sessions(journal);
    expect(await later.execute(ann, "s", post(3), { key: "k" })).toEqual({ ...first, repeated: true });
    expect((await later.state(ann, "s")).messages.map(({ id }) => id)).toEqual(["m1", "m2"]);
    await sessions.execute(ann, "s", post(3), { key: "k" });
    expect(told).toEqual([
      ...["s: session_created", "s: user_message,agent_start", "s: agent_cancelled"],
      "s: user_message,agent_start",
    ]);
  });

  it("is refused for another command, and is another key for another owner (invariant 4)", async () => {
    const { sessions } = await openRecord(storage);
    const bob = { owner: "bob", workspace: "w" };
    await sessions.execute(ann, "s", { type: "create", ...ann }, { key: "k" });
    await sessions.execute(bob, "t", { type: "create", ...bob }, { key: "k" });
    for (const refused of [
      sessions.execute(ann, "s", { type: "rename", title: "x" }, { key: "k" }),
      sessions.execute(ann, "u", { type: "create", ...ann, title: "other" }, { key: "k" }),
    ])
      await expect(refused).rejects.toBeInstanceOf(KeyReusedError);
    await sessions.execute(ann, "s", post(1), { key: "post" });
    await expect(sessions.execute(ann, "s", post(1, "bye"), { key: "post" })).rejects.toMatchObject({
      code: "conflict",
    });
    expect((await sessions.row(bob, "t")).owner).toBe("bob");
  });

  it("is another key in each workspace, also beside one that an earlier version recorded for the owner alone", async () => {
    const { sessions, journal } = await openRecord(storage);
    const elsewhere = { ...ann, workspace: "elsewhere" };
    const create = { type: "create", title: "x" } as const;
    const make = (whose: Principal, id: string, key: string, title = "x") =>
      sessions.execute(whose, id, { ...create, ...whose, title }, { key });
    await make(ann, "s", "k");
    expect((await make(elsewhere, "t", "k")).state.id).toBe("t");
    const key = {
      owner: ann.owner,
      key: "old",
      hash: commandHash(ann.workspace, "o", { ...create, ...ann }),
    };
    const created = { type: "session_created", ...ann, title: "x", key: { ...key, events: 1, children: [] } };
    await journal.appendAll([
      { stream: sessionStream("o"), events: [created], expected: 0 },
      { stream: workspaceStream(ann.workspace), events: [{ sessionId: "o", change: "created", after: 0 }] },
    ]);
    expect(await make(ann, "new", "old")).toMatchObject({ repeated: true, state: { id: "o" } });
    await expect(make(ann, "new", "old", "other")).rejects.toBeInstanceOf(KeyReusedError);
    expect((await make(elsewhere, "u", "old")).state.id).toBe("u");
    expect(await make(elsewhere, "v", "old")).toMatchObject({ repeated: true, state: { id: "u" } });
  });

  it("is no part of what clients see, and a refused command leaves none", async () => {
    const { sessions } = await openRecord(storage);
    await sessions.execute(ann, "s", { type: "create", ...ann }, { key: "k" });
    const [created] = await sessions.events(ann, "s", 0, 10);
    expect(created?.event).toEqual({ type: "session_created", ...ann, title: "" });
    const cancel = { type: "cancelRun", runId: "r1" } as const;
    await expect(sessions.execute(ann, "s", cancel, { key: "c" })).rejects.toMatchObject({
      code: "not_found",
    });
    await sessions.execute(ann, "s", post(1));
    expect(await sessions.execute(ann, "s", cancel, { key: "c" })).not.toHaveProperty("repeated");
    for (const key of ["", "a\0b", "x".repeat(301)])
      await expect(sessions.execute(ann, "s", { type: "archive" }, { key })).rejects.toMatchObject({
        code: "invalid",
      });
  });
});
