import { describe, expect, it } from "vitest";
import { CommandRefusedError } from "./domain/session-command.ts";
import type { SessionEvent } from "./domain/session-event.ts";
import { ann } from "./records/testing/facade-moves.ts";
import { openRecord, STORAGES } from "./records/testing/storages.ts";
import type { Sessions } from "./sessions.ts";

const bob = { owner: "bob", workspace: "w" };
const create = (sessions: Sessions, id: string, who = ann) =>
  sessions.execute(who, id, { type: "create", ...who, title: id });
const run = (runId: string) => ({ runId, agent: "a", agentUrl: "http://a", contextId: runId });

describe.each(STORAGES)("sessions on %s", (storage) => {
  it("find no run for an id with characters that a database refuses", async () => {
    const { sessions } = await openRecord(storage);
    for (const name of ["\0", "a\0b", "\ud800"]) {
      expect(await sessions.sessionOfRun(ann, name)).toBeUndefined();
      expect(await sessions.runs(ann, { sessionId: name, limit: 1 })).toEqual([]);
    }
  });

  it("report another principal's session as missing (S4.1–2, invariant 20)", async () => {
    const { sessions } = await openRecord(storage);
    await create(sessions, "s");
    await sessions.execute(ann, "s", {
      type: "postMessage",
      messageId: "m",
      content: "secret",
      run: run("r"),
    });
    const { signal } = new AbortController();
    for (const who of [bob, { owner: "ann", workspace: "elsewhere" }]) {
      const answers = (id: string) => [
        () => sessions.state(who, id),
        () => sessions.stateAt(who, id, 1),
        () => sessions.events(who, id, 0, 10),
        () => sessions.follow(who, id, 0, signal).next(),
        () => sessions.execute(who, id, { type: "rename", title: "x" }),
        () => sessions.execute(who, id, { type: "delete", until: "" }, { key: "k" }),
      ];
      for (const [position, ask] of answers("s").entries()) {
        const refused = await ask().catch((error: unknown) => error);
        const missing = await answers("t")
          [position]?.()
          .catch((error: unknown) => error);
        expect(refused).toBeInstanceOf(CommandRefusedError);
        expect({ ...(refused as object) }).toEqual({ ...(missing as object) });
        expect(String(refused)).toBe(String(missing).replace("session t", "session s"));
      }
      expect(await sessions.search(who, "secret", 10)).toEqual([]);
      expect(await sessions.runs(who, { limit: 10 })).toEqual([]);
      expect(await sessions.runs(who, { sessionId: "s", limit: 10 })).toEqual([]);
      expect((await sessions.changes(who, 0, 10)).changed).toEqual([]);
      expect((await sessions.list(who, { limit: 10 })).sessions).toEqual([]);
    }
    await expect(sessions.state(ann, "a\0b")).rejects.toMatchObject({ code: "not_found" });
  });

  it("keep an inbox of approvals over all sessions, cleared by an answer or the end of the run (+7)", async () => {
    const { sessions, journal } = await openRecord(storage);
    for (const id of ["a", "b"]) {
      await create(sessions, id);
      await sessions.execute(ann, id, {
        type: "postMessage",
        messageId: "m",
        content: "x",
        run: run(`r${id}`),
      });
      const lease = await journal.acquire(`run/r${id}`);
      const asked: SessionEvent = {
        ...{ type: "approval_requested", runId: `r${id}`, approvalId: "p", question: `${id}?`, tool: "send" },
      };
      await sessions.session(id).append(lease, `r${id}`, [asked], [{}]);
    }
    const open = await sessions.approvals(ann, { open: true, limit: 10 });
    expect(open).toMatchObject([
      { sessionId: "b", id: "p", status: "open", question: "b?", tool: "send" },
      { sessionId: "a" },
    ]);
    expect((await sessions.runs(ann, { limit: 10 })).map(({ status }) => status)).toEqual([
      "waiting",
      "waiting",
    ]);
    expect((await sessions.row(ann, "a")).openApprovals).toEqual(new Set(["p"]));
    const underWay = (id: string) => ({ sessionId: id, runId: `r${id}`, status: "waiting" });
    expect(await sessions.open()).toEqual(expect.arrayContaining(["a", "b"].map(underWay)));
    await sessions.execute(ann, "a", {
      type: "answerApproval",
      approvalId: "p",
      decision: "approved",
      text: "ok",
    });
    await sessions.execute(ann, "b", { type: "cancelRun", runId: "rb" });
    expect(await sessions.approvals(ann, { open: true, limit: 10 })).toEqual([]);
    expect(await sessions.approvals(ann, { limit: 10 })).toMatchObject([
      { sessionId: "b", status: "closed" },
      { sessionId: "a", status: "approved", decision: "approved", answeredAt: expect.any(Number) },
    ]);
    expect(await sessions.approvals(bob, { limit: 10 })).toEqual([]);
    expect(await sessions.open()).toEqual([{ sessionId: "a", runId: "ra", status: "running" }]);
    expect((await sessions.runs(ann, { limit: 10 })).map(({ status }) => status)).toEqual([
      "cancelled",
      "running",
    ]);
  });

  it("follow a session from any index, history and then live, and return its state at an event (+3, S4.10)", async () => {
    const { sessions } = await openRecord(storage);
    await create(sessions, "s");
    const stop = new AbortController();
    const seen: number[] = [];
    const following = (async () => {
      for await (const batch of sessions.follow(ann, "s", 1, stop.signal)) {
        seen.push(...batch.map(({ index }) => index));
        if (seen.includes(4)) stop.abort();
      }
    })();
    for (const title of ["x", "y", "z"]) await sessions.execute(ann, "s", { type: "rename", title });
    await following;
    expect(seen).toEqual([2, 3, 4]);
    expect((await sessions.stateAt(ann, "s", 3)).title).toBe("y");
    await expect(sessions.stateAt(ann, "s", 5)).rejects.toMatchObject({ code: "invalid" });
    const {
      children: [child],
    } = await sessions.execute(ann, "s", {
      ...{ type: "fork", at: { eventIndex: 2 }, fork: { childId: "t" } },
    });
    expect(child?.parent).toMatchObject({ sessionId: "s", eventIndex: 2, reason: "branch" });
  });
});
