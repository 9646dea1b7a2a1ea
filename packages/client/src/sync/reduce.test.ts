import { describe, expect, it } from "vitest";
import type { Session } from "../api/api-types.ts";
import type { DomainEvent } from "../api/domain-event.ts";
import type { QueuedCommand } from "./command.ts";
import { reduce } from "./reduce.ts";
import { shownSession } from "./shown.ts";
import type { Effect, Failure, SyncEvent } from "./sync-event.ts";
import { INITIAL_STATE, type SyncState } from "./sync-state.ts";

const unreachable: Failure = { code: "unreachable", status: 0, message: "Cut", isTransient: true };

/** What a list of events leads to, and the effects of the last one. */
function after(...events: readonly SyncEvent[]): { state: SyncState; effects: readonly Effect[] } {
  return events.reduce<{ state: SyncState; effects: readonly Effect[] }>(
    ({ state }, event) => reduce(state, event),
    { state: INITIAL_STATE, effects: [] },
  );
}

function renamed(index: number, title = `Title ${index}`): DomainEvent {
  const payload = { title, by: "user" } as const;
  return { id: `e${index}`, sessionId: "s", index, type: "session_renamed", payload, timestamp: "t" };
}

const opened: SyncEvent[] = [
  { type: "feedOpened", isResumed: false, places: {} },
  { type: "opened", sessionId: "s" },
];

function read(request: number, ...indices: readonly number[]): SyncEvent {
  const events = indices.map((index) => renamed(index));
  return { type: "sessionRead", sessionId: "s", request, reading: { events } };
}

const heard = (index: number): SyncEvent => ({ type: "eventHeard", event: renamed(index) });

describe("a session that is open", () => {
  const current = [...opened, read(2, 1, 2)];

  it("takes the next event, drops one that it has, and reads the gap before one that comes too early", () => {
    expect(after(...current, heard(3), heard(3), heard(2)).state.open.s?.record.index).toBe(3);
    const { state, effects } = after(...current, heard(5));
    expect(state.open.s).toMatchObject({ record: { index: 2 }, freshness: { name: "reading" } });
    expect(effects).toEqual([{ type: "readSession", sessionId: "s", since: 2, request: 3 }]);
  });

  it("takes what it heard while it was read, after what was read", () => {
    const { state } = after(...opened, heard(3), heard(4), read(2, 1, 2, 3));
    expect(state.open.s).toMatchObject({
      record: { index: 4, title: "Title 4" },
      freshness: { name: "current" },
    });
  });

  it("does not grow without bound with what it hears while it is read", () => {
    const many = Array.from({ length: 5_000 }, (_, at) => heard(at + 2));
    const { state, effects } = after(...opened, ...many, read(2, 1));
    expect(state.open.s?.record.index).toBeLessThan(4_000);
    expect(effects).toContainEqual(expect.objectContaining({ type: "readSession" }));
  });

  it("is shown as it was after a reset until it was read from its beginning; an answer from before counts for nothing", () => {
    const events = [...current, heard(5), { type: "reset", sessionId: "s" } as const];
    const { state, effects } = after(...events);
    expect(shownSession(state, "s")).toMatchObject({ title: "Title 2", isCurrent: false });
    expect(effects).toEqual([{ type: "readSession", sessionId: "s", since: 0, request: 4 }]);
    expect(after(...events, read(3, 3, 4, 5)).state).toEqual(state);
    expect(after(...events, read(4, 1)).state.open.s).toMatchObject({
      record: { index: 1, title: "Title 1" },
    });
  });

  it("follows a server that has less than the client", () => {
    const reading = { events: [renamed(1, "From the backup")], reset: true } as const;
    const { state } = after(...current, heard(9), {
      type: "sessionRead",
      sessionId: "s",
      request: 3,
      reading,
    });
    expect(state.open.s?.record).toMatchObject({ index: 1, title: "From the backup" });
  });

  it("begins where the server's events begin, if the earlier ones are not kept", () => {
    expect(after(...opened, read(2, 7, 8)).state.open.s?.record.index).toBe(8);
  });

  it("is tried again after a while when it could not be read, and at once when the network is back", () => {
    const failed = { type: "sessionFailed", sessionId: "s", request: 2, failure: unreachable } as const;
    const { state, effects } = after(...opened, failed);
    const of = { what: "session", sessionId: "s" } as const;
    expect(effects).toEqual([{ type: "rest", of, attempt: 1, atLeastMs: 0 }]);
    expect(state.lastError?.code).toBe("unreachable");
    const again = { type: "readSession", sessionId: "s", since: 0, request: 3 };
    expect(reduce(state, { type: "rested", of }).effects).toEqual([again]);
    const offline = reduce(state, { type: "offline" }).state;
    expect(reduce(offline, { type: "rested", of }).effects).toEqual([]);
    expect(reduce(offline, { type: "online" }).effects).toEqual([again]);
  });

  it("is read anew from where it is when a feed does not go on where the last one ended, and not otherwise", () => {
    const cut = [...current, { type: "feedClosed" } as const];
    const again = (isResumed: boolean, places = {}) =>
      after(...cut, { type: "feedOpened", isResumed, places }).effects.filter(
        ({ type }) => type === "readSession",
      );
    const reading = [{ type: "readSession", sessionId: "s", since: 2, request: 3 }];
    expect(again(false)).toEqual(reading);
    expect(again(true)).toEqual([]);
    expect(again(true, { s: 4 })).toEqual(reading);
  });

  it("is read again when the list shows it restored while a read of the deleted one is under way", () => {
    const failure = { code: "not_found", status: 404, message: "Deleted", isTransient: false };
    const session = { id: "s" } as Session;
    const changes = { new: [], updated: [session], deleted: [], cursor: "1", more: false, reset: false };
    const { effects } = after(
      ...opened,
      { type: "changesRead", request: 1, changes },
      { type: "sessionFailed", sessionId: "s", request: 2, failure },
    );
    expect(effects).toContainEqual(expect.objectContaining({ type: "readSession", sessionId: "s" }));
  });

  it("is gone when the server says so, and stays to be looked at", () => {
    const failure = { code: "gone", status: 410, message: "Deleted", isTransient: false };
    const { state } = after(...current, heard(9), {
      type: "sessionFailed",
      sessionId: "s",
      request: 3,
      failure,
    });
    expect(shownSession(state, "s")).toMatchObject({ isGone: true, title: "Title 2" });
  });
});

describe("the connection", () => {
  const moves: readonly (readonly [string, SyncEvent])[] = [
    ["online", { type: "online" }],
    ["offline", { type: "offline" }],
    ["feedOpened", { type: "feedOpened", isResumed: true, places: {} }],
    ["feedClosed", { type: "feedClosed" }],
  ];
  it.each([
    ["offline", ["connecting", "offline", "live", "offline"]],
    ["connecting", ["connecting", "offline", "live", "connecting"]],
    ["live", ["live", "offline", "live", "connecting"]],
  ] as const)("when %s goes on to one of three states, whatever it hears", (connection, expected) => {
    const reached = moves.map(
      ([, event]) => reduce({ ...INITIAL_STATE, connection }, event).state.connection,
    );
    expect(reached).toEqual(expected);
  });
});

describe("the queue", () => {
  const entry = (place: number, name: "waiting" | "sending" | "resting"): QueuedCommand => ({
    ...{ key: `k${place}`, place, queuedAt: "t", attempt: 2, phase: { name } },
    command: { type: "send", sessionId: "s", messageId: `m${place}`, content: "" },
  });

  it("goes on after a reload in its order, one command of a session after the other, each under its key (invariant 19)", () => {
    const commands = [entry(3, "waiting"), entry(2, "resting"), entry(1, "sending")];
    const { state, effects } = after({ type: "loaded", commands });
    expect(effects.filter(({ type }) => type === "send")).toMatchObject([{ key: "k1" }]);
    const next = reduce(state, { type: "acknowledged", key: "k1" });
    expect(next.effects.filter(({ type }) => type === "send")).toMatchObject([{ key: "k2" }]);
  });

  it("takes a message for sent when it hears of it, whether or not an answer came", () => {
    const command = { type: "send", sessionId: "s", messageId: "m", content: "Hello" } as const;
    const payload = { messageId: "m", content: "Hello" };
    const event = { ...renamed(3), type: "user_message", payload } as const;
    const { state, effects } = after(
      ...opened,
      read(2, 1, 2),
      { type: "queued", key: "k", command, at: "t" },
      { type: "eventHeard", event },
    );
    expect(state.queue).toEqual([]);
    expect(effects).toContainEqual({ type: "dropCommand", key: "k" });
    expect(reduce(state, { type: "failed", key: "k", failure: unreachable })).toEqual({ state, effects: [] });
    expect(shownSession(state, "s")?.messages).toMatchObject([{ id: "m" }]);
  });
});

describe("a connection that is back", () => {
  it("lets what failed while it was gone begin again with short waits", () => {
    const gone = Array.from({ length: 8 }, (_, at): SyncEvent[] => [
      { type: "sessionFailed", sessionId: "s", request: at + 2, failure: unreachable },
      { type: "rested", of: { what: "session", sessionId: "s" } },
    ]).flat();
    const failed = { type: "sessionFailed", sessionId: "s", failure: unreachable } as const;
    const before = after(...opened, ...gone);
    const resting = reduce(before.state, { ...failed, request: before.state.requests });
    expect(resting.effects).toMatchObject([{ type: "rest", attempt: 9 }]);
    const back = reduce(resting.state, { type: "feedOpened", isResumed: true, places: {} }).state;
    const again = reduce(back, { ...failed, request: back.requests });
    expect(again.effects).toMatchObject([{ type: "rest", attempt: 1 }]);
  });
});

describe("a server that was set up anew", () => {
  const changes = { new: [], updated: [], deleted: [], cursor: "x", more: false, reset: true } as const;
  const row = { id: "s", title: "", createdAt: "t", updatedAt: "t", revision: 1, status: "active" } as const;
  const list = { sessions: { s: { ...row, metadata: { messageCount: 0 } } }, cursor: "9" };

  it("is noticed where something of the old one is known, until the user has read it (S4.13)", () => {
    const { state } = after({ type: "loaded", list, commands: [] });
    const noticed = reduce(state, { type: "changesRead", request: state.requests, changes }).state;
    expect(noticed.isReset).toBe(true);
    expect(reduce(noticed, { type: "errorDismissed" }).state.isReset).toBeUndefined();
    const fresh = after({ type: "feedOpened", isResumed: false, places: {} }).state;
    expect(
      reduce(fresh, { type: "changesRead", request: fresh.requests, changes }).state.isReset,
    ).toBeUndefined();
  });
});
