import type { Evidence, LoggedStream } from "../evidence/evidence.ts";
import { viewOf } from "../invariants/02-delivered-after-commit.ts";
import { LIBRARIAN } from "../world/agent-files.ts";
import { FORGED } from "../world/forger.ts";
import { CREW, INTRUDERS } from "../world/keys.ts";
import { answerOf, LETTER, tokensOf } from "../world/spoken-words.ts";

const AT = Date.UTC(2026, 0, 1);
const REQUEST = { key: "kone", tokens: 3, entered: true };
const ANSWER = answerOf(REQUEST);
const run = { runId: "run_1" };
const piece = { ...run, artifactId: "a1" };

/** The events of a session in which an agent was asked once and answered. */
export const SESSION_EVENTS: readonly object[] = [
  { type: "session_created", workspace: "default", owner: "local", title: "One" },
  { type: "user_message", messageId: "m1", content: "speak kone 3 entered" },
  {
    ...{ type: "agent_start", ...run, agent: "teller", agentUrl: "http://localhost:1", contextId: "c" },
    ...{ inputSnapshotHash: "h", messageId: "m1" },
  },
  { type: "agent_token_start", ...piece, channel: "answer" },
  ...tokensOf(REQUEST).map((text) => ({ type: "agent_token", ...piece, text })),
  { type: "agent_complete", ...run, state: "completed", messageId: "m2", content: ANSWER },
];

/** A fork of it from its first message on. */
const FORK_EVENTS: readonly object[] = [
  {
    ...{ type: "session_created", workspace: "default", owner: "local", title: "Two" },
    parent: { sessionId: "s1", messages: 1, eventIndex: 2, reason: "branch" },
  },
  { type: "user_message", messageId: "m3", content: "speak kone 3 entered" },
  { type: "fork", parentId: "s1", messages: 1 },
];

/** The answer of this agent in this workspace. */
export function answeredIn(workspace: string, agent: string, content: string, more: object[] = []): object[] {
  const about = { runId: `run_${workspace}` };
  return [
    { type: "session_created", workspace, owner: workspace, title: "Three" },
    { type: "user_message", messageId: "m4", content: "fetch the file letter.txt" },
    { ...(SESSION_EVENTS[2] as object), ...about, agent, messageId: "m4" },
    { type: "agent_token_start", ...about, artifactId: "a2", channel: "answer" },
    { type: "agent_token", ...about, artifactId: "a2", text: content },
    ...more.map((event) => ({ ...event, ...about })),
    { type: "agent_complete", ...about, state: "completed", messageId: "m5", content },
  ];
}

const TASK_EVENTS: readonly object[] = [
  { task: { id: "t1", contextId: "c", status: { state: "TASK_STATE_SUBMITTED" } } },
  { artifactUpdate: { taskId: "t1", artifact: { artifactId: "a1", parts: [{ text: "0" }] } } },
  { artifactUpdate: { taskId: "t1", append: true, artifact: { artifactId: "a1", parts: [{ text: "1" }] } } },
  { statusUpdate: { taskId: "t1", contextId: "c", status: { state: "TASK_STATE_COMPLETED" } } },
];

/** A stream of these events. */
export function streamOf(name: string, events: readonly object[]): LoggedStream {
  const logged = events.map((event, place) => ({
    index: place + 1,
    at: AT + place,
    json: JSON.stringify(event),
  }));
  return { name, head: events.length, trimmed: 0, events: logged };
}

/** The frames by which a follower gets these events of a session. */
export function framesOf(sessionId: string, events: readonly object[]) {
  return events.map((event, place) => {
    const entry = { index: place + 1, at: AT + place, event: event as never };
    return { id: `c${place + 1}`, event: undefined, data: viewOf(sessionId, entry) };
  });
}

/** Both sessions, as a follower gets them. */
export function allFrames() {
  return [...framesOf("s1", SESSION_EVENTS), ...framesOf("s2", FORK_EVENTS)];
}

/** The evidence of a short, flawless run that exercises every checker. */
export function smallEvidence(): Evidence {
  const streams = [
    streamOf("session/s1", SESSION_EVENTS),
    streamOf("session/s2", FORK_EVENTS),
    streamOf("session/s3", answeredIn(CREW, LIBRARIAN, LETTER)),
    streamOf("session/s4", answeredIn(INTRUDERS, LIBRARIAN, "No such file")),
    streamOf("session/s5", answeredIn("forged", "supervisor", FORGED)),
    streamOf("task/t1", TASK_EVENTS),
  ];
  const row = { session_id: "s1", workspace: "default", status: "active", title: "One" };
  const table = { sessions: [row] };
  const attempt = { attempt: "GET /sessions/{id}", workspace: "intruders", node: "node-a" } as const;
  const refused = { status: 404, retryAfter: undefined, headers: "", text: "{id} is not there" };
  const last = JSON.stringify(TASK_EVENTS.at(-1));
  const message = { method: "POST", path: "/sessions/s1/messages" };
  const answer = { at: AT + 50, node: "node-a", status: 201, retryAfter: undefined } as const;
  const cancelled = { run: { id: "run_1", sessionId: "s1", status: "completed" } };
  const fault = { began: AT + 40, ended: AT + 60, felt: 1 };
  return {
    ...{ began: AT, calmAt: AT + 60_000 },
    faults: [
      { ...fault, fault: { kind: "kill", target: "node-a", forMs: 0 }, life: "node-a.1" },
      { ...fault, fault: { kind: "clock", target: "node-a", offsetMs: 1, forMs: 0 } },
      { ...fault, fault: { kind: "full-disk", disk: "postgres", forMs: 20 } },
      { ...fault, fault: { kind: "slow-reader", forMs: 20 } },
    ],
    streams: new Map(streams.map((stream) => [stream.name, stream])),
    leases: [
      lease({ number: 1, at: AT, application: "node-a.1", leftMs: null }),
      lease({ number: 3, at: AT + 5_000, application: "node-b.1", leftMs: -10 }),
    ],
    writes: [
      {
        number: 0,
        at: AT,
        stream: "session/s1",
        last: SESSION_EVENTS.length,
        epoch: 0,
        application: "node-a.1",
      },
      { number: 2, at: AT + 1, stream: "run/run_1", last: 1, epoch: 1, application: "node-a.1" },
      { number: 4, at: AT + 6_000, stream: "run/run_1", last: 2, epoch: 2, application: "node-b.1" },
    ],
    followers: ["follower1", "follower2"].map((name) => ({
      ...{ name, workspace: "default" },
      streams: [{ node: "node-a", lastId: null, frames: allFrames() }],
    })),
    commands: [
      {
        ...{ key: "k1", ...message, body: { content: "speak kone 3 entered" }, sent: 2 },
        answers: [
          {
            ...answer,
            text: JSON.stringify({ message: { id: "m1", sessionId: "s1" }, run: { id: "run_1" } }),
          },
        ],
      },
      {
        ...{ key: "k2", method: "POST", path: "/sessions/s1/runs/run_1/cancel", body: {}, sent: 1 },
        answers: [{ ...answer, status: 200, text: JSON.stringify(cancelled) }],
      },
    ],
    calls: [{ key: "k3", taskId: "t1", frames: callFrames(TASK_EVENTS), answers: [] }],
    attempts: [
      { ...attempt, guise: "intruder", real: refused, none: refused },
      { ...attempt, guise: "nobody", real: { ...refused, status: 401 }, none: { ...refused, status: 401 } },
      { ...attempt, attempt: "GET /sessions", guise: "intruder", listed: { ...refused, status: 200 } },
    ],
    attacks: [
      {
        ...{ attack: "silent connections", node: "node-a", asked: AT + 50, answered: AT + 51 },
        ...{ isCalm: false, status: 200 },
      },
    ],
    offlineClients: [
      {
        ...{ name: "offlineClient1", workspace: "default", offline: 1, killed: 1, closed: 0 },
        wrote: [{ sessionId: "s1", messageId: "m1", content: "speak kone 3 entered", isOffline: true }],
        arrived: {
          queue: [],
          sessions: [
            {
              ...{ id: "s1", index: SESSION_EVENTS.length },
              messages: [
                ["user", "speak kone 3 entered"],
                ["assistant", ANSWER],
              ],
            },
          ],
          list: [{ id: "s1", title: "One" }],
        },
      },
    ],
    webhooks: [{ at: AT, id: "w1", text: last, taken: true }],
    waitingWebhooks: new Set(),
    ledger: ["kone"],
    processes: [{ name: "node-a", lives: 2, peakMb: 100, looks: 9, unaskedEnds: [] }],
    tables: { live: table, rebuilt: table },
    metrics: new Map(),
  };
}

/** The frames by which a caller gets these events of a task. */
export function callFrames(events: readonly object[]) {
  return events.map((result, place) => ({
    ...{ id: String(place + 1), event: undefined },
    data: JSON.stringify({ jsonrpc: "2.0", id: 1, result }),
  }));
}

function lease(more: { number: number; at: number; application: string; leftMs: number | null }) {
  return { stream: "run/run_1", epoch: more.number, isTaken: true, ...more };
}
