import { type FollowedRun, followRun, type RunExit } from "@parley/adapters/followed-run.ts";
import type { RecordedSessionEvent, SessionEvent } from "@parley/sessions";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ApiServer } from "../api/testing/api-server.ts";

const ANN = { owner: "ann", workspace: "default" };
let server: ApiServer;
beforeEach(async () => {
  server = await ApiServer.start();
});
afterEach(() => server.stop());

/** All events of a run, and how following it ended. */
async function followed(
  run: FollowedRun,
  { signal = new AbortController().signal, onEvent }: { signal?: AbortSignal; onEvent?: () => void } = {},
): Promise<{ events: SessionEvent[]; left: RunExit | undefined }> {
  const events: SessionEvent[] = [];
  const batches = followRun(server.sessions, ANN, run, signal);
  for (;;) {
    const { done, value } = await batches.next();
    if (done) return { events, left: value };
    events.push(...value.map(({ event }: RecordedSessionEvent) => event));
    onEvent?.();
  }
}

async function begun(): Promise<FollowedRun> {
  const { id, runId } = await server.begun();
  const { index } = await server.sessions.state(ANN, id);
  return { sessionId: id, runId, after: index };
}

const asks = ({ runId }: FollowedRun): SessionEvent => ({
  ...{ type: "approval_requested", runId, approvalId: "a1", question: "Really?", tool: "drop" },
});
const answers = ({ runId }: FollowedRun): SessionEvent => ({
  ...{ type: "approval_answered", runId, approvalId: "a1", decision: "approved" },
});

it("followRun yields a run as it happens, to its end, and the same to later followers (invariants 2 and 5)", async () => {
  const run = await begun();
  const live = followed(run);
  await server.answers(run.sessionId, run.runId, "Hello, Ann");
  const { events, left } = await live;
  expect(left).toBe("ended");
  expect(events.map(({ type }) => type)).toEqual(["agent_token_start", "agent_token", "agent_complete"]);
  expect(await followed(run)).toEqual({ events, left });
});

it("followRun yields no events of other runs of the session", async () => {
  const run = await begun();
  await server.answers(run.sessionId, run.runId, "One");
  const { json } = await server.ask("POST", `/api/v1/sessions/${run.sessionId}/messages`, {
    content: "Two?",
  });
  await server.answers(run.sessionId, json.run.id, "Two");
  const first = await followed(run);
  expect(first.events.at(-1)).toMatchObject({ content: "One" });
  const second = await followed({ ...run, runId: json.run.id });
  expect(second.events.at(-1)).toMatchObject({ content: "Two" });
});

it("followRun stops when the run waits for a person, and resumes behind the question after the answer (+7)", async () => {
  const run = await begun();
  await server.brings(run.sessionId, run.runId, [asks(run)]);
  const waiting = await followed(run);
  expect(waiting).toMatchObject({ left: "waiting", events: [{ type: "approval_requested" }] });
  await server.brings(run.sessionId, run.runId, [answers(run)]);
  await server.answers(run.sessionId, run.runId, "Done");
  const whole = await followed(run);
  // A question answered long ago does not stop the follower.
  expect(whole.left).toBe("ended");
  expect(whole.events.map(({ type }) => type)).toEqual([
    "approval_requested",
    "approval_answered",
    "agent_token_start",
    "agent_token",
    "agent_complete",
  ]);
});

it("followRun does not stop at a question that is always allowed (+7)", async () => {
  const run = await begun();
  const live = followed(run);
  await server.brings(run.sessionId, run.runId, [asks(run), answers(run)]);
  await server.answers(run.sessionId, run.runId, "Done");
  expect(await live).toMatchObject({ left: "ended" });
});

it("followRun ends at once behind the end of a run, and silently when its signal aborts", async () => {
  const run = await begun();
  const ending = new AbortController();
  const live = followed(run, { signal: ending.signal, onEvent: () => ending.abort() });
  await server.brings(run.sessionId, run.runId, [
    { type: "agent_status", runId: run.runId, state: "working" },
  ]);
  expect(await live).toMatchObject({ left: undefined, events: [{ type: "agent_status" }] });
  await server.answers(run.sessionId, run.runId, "Over");
  const { index } = await server.sessions.state(ANN, run.sessionId);
  expect(await followed({ ...run, after: index })).toEqual({ events: [], left: "ended" });
});
