import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ownerByHeader } from "./testing/owner-by-header.ts";
import { type ProofAgent, startProofAgent } from "./testing/proof-agent.ts";
import { proofExecutor } from "./testing/proof-executor.ts";
import { collect, joined, type SeenEvent, taskIdIn } from "./testing/seen.ts";
import { SPEAKERS, type Speaking, taskOf } from "./testing/speakers.ts";

let agent: ProofAgent;

beforeAll(async () => {
  agent = await startProofAgent({
    executor: proofExecutor,
    coalesce: false,
    ownerOf: ownerByHeader,
  });
});
afterAll(() => agent.stop());

const TERMINAL = ["completed", "failed", "canceled", "rejected"];
const MISSING = "00000000-0000-4000-8000-000000000000";

/** The events up to and including the first match. */
async function until(
  events: AsyncIterator<SeenEvent>,
  isIt: (event: SeenEvent) => boolean,
): Promise<SeenEvent[]> {
  const seen: SeenEvent[] = [];
  for (;;) {
    const next = await events.next();
    if (next.done) throw new Error(`The stream ended after ${JSON.stringify(seen)}`);
    seen.push(next.value);
    if (isIt(next.value)) return seen;
  }
}
const saysHeld = ({ artifact }: SeenEvent) => artifact?.text === "held ";
const indices = (events: readonly SeenEvent[]) => events.map(({ index }) => index);

describe.each(SPEAKERS)(
  "what implementers get wrong, the same in every binding (A2A-EQUAL-1): $name",
  (speaker) => {
    let me: Speaking;
    let other: Speaking;
    beforeAll(() => {
      me = speaker.at(agent.url, { "x-owner": "me" });
      other = speaker.at(agent.url, { "x-owner": "other" });
    });
    const isV01 = speaker.name.endsWith("0.1");
    /** A task that works until it receives "go", and its stream after the first chunk. */
    const held = async () => {
      const events = await me.stream("hold");
      const first = await until(events, saysHeld);
      return { events, first, id: taskIdIn(first[0]) };
    };
    // A v0.1 stream tells what the dialect has no field for once, at its beginning: the rest is the same.
    const plain = (events: readonly SeenEvent[]) =>
      isV01 ? events.map(({ raw: _, ...event }) => event) : events;
    const waitingFor = async (text: string) => taskOf(await me.send(text));

    it("W1, A2A-STREAM-1–4: a stream is the task and its updates, and closes on a terminal state", async () => {
      for (const [text, end] of [
        ["pieces 3", "completed"],
        ["fail", "failed"],
        ["reject", "rejected"],
      ] as const) {
        const [first, ...rest] = await collect(await me.stream(text));
        // v0.1 has no task among its events: it begins with a status.
        expect(first).toMatchObject(
          isV01 ? { kind: "status", state: "submitted" } : { kind: "task", task: { state: "submitted" } },
        );
        expect(rest.filter(({ kind }) => kind !== "status" && kind !== "artifact")).toEqual([]);
        expect(rest.filter(({ state }) => TERMINAL.includes(state ?? ""))).toEqual([rest.at(-1)]);
        // The oldest dialect has no rejection either.
        expect(rest.at(-1)?.state).toBe(isV01 && end === "rejected" ? "failed" : end);
      }
    });

    it("W1, A2A-STREAM-2: a stream can be a single message", async () => {
      const events = await collect(await me.stream("answer"));
      if (isV01) expect(events.at(-1)).toMatchObject({ kind: "status", state: "completed" });
      else expect(events.map(({ kind }) => kind)).toEqual(["message"]);
    });

    it("W2, A2A-SUB-1–3, invariant 7: subscribe starts with the current task and misses and repeats nothing", async () => {
      const { events, id } = await held();
      const watcher = await me.subscribe(id);
      const first = await until(watcher, ({ kind, artifact }) => kind === "task" || artifact !== undefined);
      if (!isV01)
        expect(first).toMatchObject([{ kind: "task", task: { id, state: "working", artifacts: ["held "] } }]);
      await me.send("more", { taskId: id, wait: false });
      await me.send("go", { taskId: id, wait: false });
      const [rest, own] = [await collect(watcher), await collect(events)];
      const later = isV01 ? rest : rest.filter(({ index }) => Number(index) > Number(first.at(-1)?.index));
      expect(later.map(({ raw }) => raw)).toEqual(own.slice(-later.length).map(({ raw }) => raw));
      expect(Object.values(joined([...first, ...rest])).join("")).toBe(isV01 ? "held more " : "more ");
      expect(rest.at(-1)?.state).toBe("completed");
    });

    it("W2, A2A-SUB-4: subscribing to an ended task is rejected", async () => {
      const { id } = taskOf(await me.send("pieces 1"));
      expect(await collect(await me.subscribe(id))).toMatchObject([{ kind: "refused", error: -32004 }]);
      expect(await collect(await me.subscribe(MISSING))).toMatchObject([{ kind: "refused", error: -32001 }]);
    });

    it("W3, A2A-ORDER-1–3, invariant 15: all streams of a task get the same events, and closing one affects no other", async () => {
      const { events, id, first } = await held();
      const after = first.at(-1)?.index ?? "";
      const watchers = await Promise.all([1, 2, 3].map(() => me.subscribe(id, after)));
      const leaving = await me.subscribe(id);
      await leaving.next();
      await leaving.return();
      for (const text of ["a", "b", "go"]) await me.send(text, { taskId: id, wait: false });
      const own = await collect(events);
      expect(own.at(-1)?.state).toBe("completed");
      for (const watcher of watchers) expect(plain(await collect(watcher))).toEqual(plain(own));
      expect(taskOf(await me.get(id))).toMatchObject({ state: "completed", artifacts: ["held a b "] });
    });

    it("W4, S3.1–4, S2.10: append extends its artifact, anything else replaces it, lastChunk ends it", async () => {
      const events = await collect(await me.stream("retract wrong right"));
      const pieces = events.flatMap(({ artifact }) => artifact ?? []);
      expect(pieces.map(({ text, append }) => [text, append])).toEqual([
        ["wrong", false],
        ["right", false],
        ["", true],
      ]);
      expect(pieces.map(({ last }) => last)).toEqual([false, false, true]);
      const task = taskOf(await me.get(taskIdIn(events[0])));
      expect(task.artifacts).toEqual(["right"]);
      expect(Object.values(joined(events))).toEqual(["right"]);
    });

    it("W5, A2A-WAIT-1–2, S2.2: waiting returns on a terminal or interrupted state, with all artifacts", async () => {
      expect(await waitingFor("pieces 3")).toMatchObject({ state: "completed", artifacts: ["0 1 2 "] });
      expect(await waitingFor("fail")).toMatchObject({ state: "failed", says: "It broke" });
      expect(await waitingFor("ask")).toMatchObject({ state: "input-required", says: "Which one?" });
      // The oldest dialect has no such state: it asks for input.
      expect((await waitingFor("login")).state).toBe(isV01 ? "input-required" : "auth-required");
    });

    it("W5, A2A-WAIT-3: a non-blocking send returns the working task", async () => {
      const { id, state } = taskOf(await me.send("hold", { wait: false }));
      expect(["submitted", "working"]).toContain(state);
      expect(taskOf(await me.cancel(id)).state).toBe("canceled");
    });

    it("W6, A2A-SEND-2–3: a message to an ended or unknown task is rejected and creates none", async () => {
      const { id } = await waitingFor("pieces 1");
      expect(await me.send("pieces 1", { taskId: id })).toEqual({ error: -32004 });
      expect(await collect(await me.stream("pieces 1", { taskId: id }))).toMatchObject([{ error: -32004 }]);
      // v0.1 alone lets the client choose the id of a new task.
      if (isV01) return;
      expect(await me.send("pieces 1", { taskId: MISSING })).toEqual({ error: -32001 });
      expect(await me.get(MISSING)).toEqual({ error: -32001 });
    });

    it("W6, A2A-CONTEXT-1–5, S1.18: a context is preserved, generated or inferred from the task, and must match it", async () => {
      expect((await waitingFor("pieces 1")).contextId).toEqual(expect.stringMatching(/./));
      const { id, contextId } = taskOf(await me.send("ask", { contextId: "of-my-own" }));
      expect(contextId).toBe("of-my-own");
      expect(await me.send("x", { taskId: id, contextId: "another" })).toEqual({ error: -32602 });
      expect(taskOf(await me.send("pieces 2", { taskId: id }))).toMatchObject({
        id,
        contextId,
        state: "completed",
      });
    });

    it("W7: a second message to a working task reaches the running execution and closes no stream", async () => {
      const { events, id } = await held();
      await me.send("second", { taskId: id, wait: false });
      await me.send("go", { taskId: id, wait: false });
      const own = await collect(events);
      expect(own.at(-1)?.state).toBe("completed");
      const task = taskOf(await me.get(id));
      expect([task.artifacts, task.history]).toEqual([["held second "], ["hold", "second", "go"]]);
    });

    it("W8, A2A-HISTORY-1: historyLength returns all when unset, none for 0, the newest N otherwise", async () => {
      const { id } = await waitingFor("ask");
      await me.send("pieces 1", { taskId: id });
      const length = async (more: Record<string, unknown>) => taskOf(await me.get(id, more)).history;
      expect(await length({})).toEqual(["ask", "Which one?", "pieces 1"]);
      expect(await length({ historyLength: 0 })).toEqual([]);
      expect(await length({ historyLength: 2 })).toEqual(["Which one?", "pieces 1"]);
      expect(taskOf(await me.send("pieces 1", { historyLength: 0 })).history).toEqual([]);
    });

    it("W12, A2A-AUTH-1–3, invariant 20: someone else's task looks exactly like one that does not exist", async () => {
      const { id } = await waitingFor("ask");
      for (const they of [other, me]) {
        const named = they === other ? id : MISSING;
        expect(await they.get(named)).toEqual({ error: -32001 });
        expect(await they.cancel(named)).toEqual({ error: -32001 });
        expect(await collect(await they.subscribe(named))).toMatchObject([{ error: -32001 }]);
        expect(await collect(await they.subscribe(named, "1"))).toMatchObject([{ error: -32001 }]);
        if (!isV01) expect(await they.send("x", { taskId: named })).toEqual({ error: -32001 });
      }
      // With client-chosen ids, the same id names the caller's own task.
      if (isV01) expect(taskOf(await other.send("ask", { taskId: id })).history).toEqual(["ask"]);
      expect(taskOf(await me.get(id)).state).toBe("input-required");
    });

    it("W13, A2A-VALID-1: a negative history length is rejected", async () => {
      const { id } = await waitingFor("pieces 1");
      expect(await me.get(id, { historyLength: -1 })).toEqual({ error: -32602 });
      expect(await me.send("x", { historyLength: -1 })).toEqual({ error: -32602 });
    });

    it("W14, A2A-TIME-1: timestamps are in UTC with Z", async () => {
      const { timestamp } = await waitingFor("pieces 1");
      expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    });

    it("+1, invariants 5 and 7: a stream resumes with the event after Last-Event-ID, at any position and at the end", async () => {
      const all = await collect(await me.stream("pieces 4"));
      const id = taskIdIn(all[0]);
      for (const [position, { index }] of all.entries()) {
        if (index === undefined) continue;
        expect(plain(await collect(await me.subscribe(id, index)))).toEqual(plain(all.slice(position + 1)));
      }
      expect(new Set(indices(all)).size).toBe(all.length);
    });

    it("+1, invariant 5: a Last-Event-ID beyond the task's end returns the current task", async () => {
      const { id } = await waitingFor("pieces 2");
      const all = await collect(await me.subscribe(id, "99999"));
      if (isV01) expect(all.map(({ kind }) => kind)).toEqual(["status", "artifact", "status"]);
      else expect(all).toMatchObject([{ kind: "task", task: { id, artifacts: ["0 1 "] } }]);
    });
  },
);
