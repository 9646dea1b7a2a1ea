import { randomUUID } from "node:crypto";
import { type Executor, textOf } from "@parley/a2a";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ProofAgent, startProofAgent } from "./testing/proof-agent.ts";
import { proofExecutor } from "./testing/proof-executor.ts";
import { type SseFrame, sseFrames } from "./testing/sse-frames.ts";

/** Adds what the question names, or, asked to add them together, the answers of the session's earlier tasks. */
const calculator: Executor = {
  async execute(context) {
    const [, left, right] = /(?<!\d)(\d+)\s*\+\s*(\d+)/.exec(textOf(context.message)) ?? [];
    const numbers = left
      ? [Number(left), Number(right)]
      : await earlierAnswers(context.contextId, context.taskId);
    return { state: "completed", message: `${numbers.join(" + ")} = ${numbers.reduce((a, b) => a + b, 0)}` };
  },
};

async function earlierAnswers(contextId: string, taskId: string): Promise<number[]> {
  const { tasks } = await agent.tasks.list({ contextId }, { owner: "local", dialect: "0.1" });
  const before = tasks.filter(({ id }) => id !== taskId).reverse();
  return before.map(({ status }) =>
    Number(/= (\d+)$/.exec(status.message ? textOf(status.message) : "")?.[1]),
  );
}

let agent: ProofAgent;
beforeAll(async () => {
  const executor: Executor = {
    execute: (context) =>
      (/[+]|together/.test(textOf(context.message)) ? calculator : proofExecutor).execute(context),
  };
  agent = await startProofAgent({ executor, coalesce: false });
});
afterAll(() => agent.stop());

interface Answer {
  readonly jsonrpc: string;
  readonly id: unknown;
  readonly result?: {
    readonly id: string;
    readonly sessionId: string;
    readonly status: {
      readonly state: string;
      readonly message?: { readonly parts: readonly { readonly text: string }[] };
    };
    readonly artifacts?: readonly unknown[];
    readonly metadata?: object;
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

const post = (body: string) =>
  fetch(`${agent.url}/a2a`, { method: "POST", headers: { "content-type": "application/json" }, body });
const request = (method: string, params: object) =>
  post(JSON.stringify({ jsonrpc: "2.0", id: "r", method, params }));
const call = async (method: string, params: object) =>
  (await (await request(method, params)).json()) as Answer;
const said = (text: string) => ({ message: { role: "user", parts: [{ type: "text", text }] } });
const send = (text: string, more: object = {}) =>
  call("tasks/send", { id: randomUUID(), ...said(text), ...more });
const stateOf = async (id: string) => (await call("tasks/get", { id })).result?.status.state;

/** The results of a stream, to its end. */
async function streamed(method: string, params: object): Promise<Record<string, unknown>[]> {
  return resultsOf(await request(method, params));
}
async function resultsOf(response: Response): Promise<Record<string, unknown>[]> {
  const results: Record<string, unknown>[] = [];
  for await (const { data } of sseFrames(response))
    results.push((data as { result: Record<string, unknown> }).result);
  return results;
}
const states = (events: readonly Record<string, unknown>[]) =>
  events.flatMap(({ status }) => (status ? [(status as { state: string }).state] : []));

describe("the second seed's flows, as drawn", () => {
  it("tasks/send: POST /a2a, and the completed task comes back (S1.1, S1.3, S1.28)", async () => {
    const id = randomUUID();
    const answer = await call("tasks/send", { id, sessionId: "s-1", ...said("pieces 3") });
    expect(answer).toMatchObject({
      jsonrpc: "2.0",
      id: "r",
      result: {
        id,
        sessionId: "s-1",
        status: { state: "completed" },
        artifacts: [{ parts: [{ type: "text", text: "0 1 2 " }] }],
      },
    });
  });

  it("tasks/sendSubscribe: submitted, working, artifacts, completed, and the stream is closed (S1.4, S1.15–17)", async () => {
    const id = randomUUID();
    const events = await streamed("tasks/sendSubscribe", { id, ...said("pieces 2") });
    expect(states(events)).toEqual(["submitted", "working", "completed"]);
    expect(events.every((event) => event.id === id)).toBe(true);
    expect(events.map((event) => ("artifact" in event ? "artifact" : "status"))).toEqual([
      "status",
      "status",
      "artifact",
      "artifact",
      "artifact",
      "status",
    ]);
    expect(events.map(({ final }) => final).filter(Boolean)).toEqual([true]);
    expect(events.at(-1)).toMatchObject({ final: true });
  });

  it("tasks/get: the current task, or −32001 (S1.5, S1.22)", async () => {
    const { result } = await send("pieces 1");
    expect((await call("tasks/get", { id: result?.id ?? "" })).result).toMatchObject({
      id: result?.id,
      status: { state: "completed" },
    });
    expect((await call("tasks/get", { id: "no-such-task" })).error).toMatchObject({ code: -32001 });
  });

  it("tasks/cancel: the worker is notified and the task is returned as canceled, whatever its state (S1.6, S1.26)", async () => {
    const working = (await sseStart("hold")).id;
    const waiting = (await send("ask")).result?.id ?? "";
    for (const id of [working, waiting]) {
      expect((await call("tasks/cancel", { id })).result).toMatchObject({
        id,
        status: { state: "canceled" },
      });
      expect(await stateOf(id)).toBe("canceled");
    }
  });

  it("tasks/cancel of an ended task returns −32002 (S1.27, invariant 8)", async () => {
    const canceled = (await send("ask")).result?.id ?? "";
    await call("tasks/cancel", { id: canceled });
    const ended = {
      completed: (await send("pieces 1")).result?.id,
      failed: (await send("fail")).result?.id,
      canceled,
    };
    for (const [state, id = ""] of Object.entries(ended)) {
      expect((await call("tasks/cancel", { id })).error?.code).toBe(-32002);
      expect(await stateOf(id)).toBe(state);
    }
  });

  it("tasks/resubscribe: the stream continues for a reconnecting client (S1.7)", async () => {
    const { id, stream } = await sseStart("hold");
    await stream.return();
    const again = await request("tasks/resubscribe", { id });
    await send("more", { id, metadata: CARRY_ON });
    await send("go", { id, metadata: CARRY_ON });
    expect(states(await resultsOf(again))).toEqual(["working", "completed"]);
  });

  it("states: input required, continued on the same id, completed (S1.10, S1.11, S1.13)", async () => {
    const id = randomUUID();
    const asked = await streamed("tasks/sendSubscribe", { id, ...said("ask") });
    expect(states(asked)).toEqual(["submitted", "working", "input-required"]);
    expect(asked.at(-1)).toMatchObject({
      final: true,
      status: { message: { role: "agent", parts: [{ type: "text", text: "Which one?" }] } },
    });
    const answered = await streamed("tasks/sendSubscribe", { id, ...said("pieces 1") });
    expect(states(answered).at(-1)).toBe("completed");
    expect(await stateOf(id)).toBe("completed");
  });

  it("states: an error fails the task, with its message; a failed task stays failed (S1.12, S2.15)", async () => {
    const { result } = await send("fail");
    expect(result?.status).toMatchObject({ state: "failed", message: { parts: [{ text: "It broke" }] } });
    expect((await call("tasks/send", { id: result?.id, ...said("pieces 1") })).error?.code).toBe(-32004);
    expect(await stateOf(result?.id ?? "")).toBe("failed");
  });

  it("a session keeps its tasks and their metadata (S1.18, S1.19)", async () => {
    const sessionId = randomUUID();
    const first = await send("pieces 1", { sessionId, metadata: { variable: 7 } });
    const second = await send("pieces 1", { sessionId });
    expect([first.result?.sessionId, second.result?.sessionId]).toEqual([sessionId, sessionId]);
    const { tasks } = await agent.tasks.list(
      { contextId: sessionId, historyLength: 9 },
      { owner: "local", dialect: "1.0" },
    );
    const chosen = tasks.map(({ id }) => id.replace(/~[\w-]+$/, ""));
    expect(chosen).toEqual([second.result?.id, first.result?.id]);
    expect(tasks[1]).toMatchObject({
      metadata: { variable: 7 },
      history: [{ parts: [{ text: "pieces 1" }] }],
    });
  });

  it("the dialogue of three turns answers 4, 6 and 10 (S1.20)", async () => {
    const sessionId = "session-123";
    const turns = ["What's 2+2?", "What about 3+3?", "Add them together"];
    const answers: string[] = [];
    for (const [turn, text] of turns.entries()) {
      const { result } = await call("tasks/send", { id: `task-${turn + 1}`, sessionId, ...said(text) });
      expect(result).toMatchObject({ id: `task-${turn + 1}`, sessionId, status: { state: "completed" } });
      answers.push(result?.status.message?.parts[0]?.text ?? "");
    }
    expect(answers).toEqual(["2 + 2 = 4", "3 + 3 = 6", "4 + 6 = 10"]);
  });

  it.each([
    ["not JSON", "{", -32700],
    ["another jsonrpc", '{"jsonrpc":"1.0","id":"r","method":"tasks/get"}', -32600],
    ["no method", '{"jsonrpc":"2.0","id":"r"}', -32600],
    ["an unknown method", '{"jsonrpc":"2.0","id":"r","method":"tasks/nothing"}', -32601],
    ["no params", '{"jsonrpc":"2.0","id":"r","method":"tasks/send"}', -32602],
    ["a missing task", '{"jsonrpc":"2.0","id":"r","method":"tasks/cancel","params":{"id":"none"}}', -32001],
  ])("an error is an object with code and message: %s (S1.21–22)", async (_, body, code) => {
    const answer = (await (await post(body)).json()) as Answer;
    expect(answer).toMatchObject({
      jsonrpc: "2.0",
      id: code === -32700 ? null : "r",
      error: { code, message: expect.any(String) },
    });
    expect(answer).not.toHaveProperty("result");
  });
});

/** Says to v0.1, by our extension, not to wait. */
const CARRY_ON = { "urn:parley:ext:run:1": { carried: { returnImmediately: true } } };

/** A stream of a task that is at work. */
async function sseStart(text: string): Promise<{ id: string; stream: AsyncGenerator<SseFrame, void, void> }> {
  const id = randomUUID();
  const stream = sseFrames(await request("tasks/sendSubscribe", { id, ...said(text) }));
  for (;;) {
    const { value } = await stream.next();
    if (value && JSON.stringify(value.data).includes('"held ')) return { id, stream };
  }
}
