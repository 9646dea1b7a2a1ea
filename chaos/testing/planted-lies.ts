import type { Evidence } from "../evidence/evidence.ts";
import { LIBRARIAN } from "../world/agent-files.ts";
import { FORGED } from "../world/forger.ts";
import { INTRUDERS } from "../world/keys.ts";
import { LETTER } from "../world/spoken-words.ts";
import {
  allFrames,
  answeredIn,
  callFrames,
  framesOf,
  SESSION_EVENTS,
  smallEvidence,
  streamOf,
} from "./small-evidence.ts";

/** A chunk of a task's artifact. */
export const PIECE = { taskId: "t1", append: true, artifact: { artifactId: "a1", parts: [{ text: "2" }] } };
const OK = { status: 200, retryAfter: undefined, headers: "", text: "" };
const WROTE = { sessionId: "s1", messageId: "m1", content: "speak kone 3 entered", isOffline: true };

/** For each invariant: a violation, and evidence that has it. */
export const LIES: readonly (readonly [
  id: string,
  what: string,
  spoil: (good: Evidence) => Partial<Evidence>,
])[] = [
  [
    ...(["1", "an event is missing in the log"] as const),
    ({ streams }) => {
      const stream = streamOf("task/t1", [{ a: 1 }, { b: 2 }, { c: 3 }]);
      return {
        streams: new Map([...streams, ["task/t1", { ...stream, events: stream.events.toSpliced(1, 1) }]]),
      };
    },
  ],
  ["1", "the head is beyond the last event", ({ streams }) => withHead(streams, "session/s1", 99)],
  [
    "2",
    "a client received an uncommitted event",
    (good) => seen(good, [...SESSION_EVENTS, { type: "edit" }]),
  ],
  [
    "2",
    "a client received different bytes",
    (good) => seen(good, [{ type: "session_created", title: "Other" }]),
  ],
  [
    "2",
    "an A2A caller received an uncommitted event",
    (good) => called(good, (frames) => [...frames, ...callFrames([{}])]),
  ],
  ["5", "an A2A caller received an event twice", (good) => called(good, (frames) => [...frames, ...frames])],
  ["3", "an acknowledged message is lost", (good) => withSession(good, SESSION_EVENTS.toSpliced(1, 1))],
  [
    "4",
    "a command had two effects",
    (good) => withSession(good, [...SESSION_EVENTS, { ...SESSION_EVENTS[1], messageId: "m9" }]),
  ],
  ["5", "a follower missed an event", (good) => seenFrames(good, (frames) => frames.toSpliced(2, 1))],
  [
    "5",
    "a follower received an event twice",
    (good) => seenFrames(good, (frames) => [...frames.slice(0, 3), ...frames.slice(2)]),
  ],
  [
    "5",
    "a follower missed a whole session",
    (good) => seenFrames(good, (frames) => frames.filter(isOfFirst)),
  ],
  [
    "5",
    "a follower missed the last events",
    (good) => seenFrames(good, (frames) => frames.toSpliced(4, SESSION_EVENTS.length - 4)),
  ],
  [
    "6",
    "no node took over a dead node's run",
    ({ leases }) => ({ leases: leases.slice(0, 1), ...openRun() }),
  ],
  [
    "6",
    "a dead node's run is taken over too late",
    ({ leases }) => ({
      leases: leases.map((one, place) => (place === 0 ? one : { ...one, at: one.at + 20_000 })),
    }),
  ],
  [
    "6",
    "no node started a run within half a minute of its request",
    ({ leases }) => ({ leases: leases.map((one) => ({ ...one, at: one.at + 30_000 })) }),
  ],
  ["6", "a run never ended", (good) => withSession(good, SESSION_EVENTS.slice(0, -1))],
  ["7", "text was duplicated", (good) => withSession(good, doubled())],
  [
    "8",
    "a run continued after its end",
    (good) => withSession(good, [...SESSION_EVENTS, { type: "agent_status", runId: "run_1" }]),
  ],
  ["8", "a task continued after its end", (good) => withTask(good, [{ artifactUpdate: PIECE }])],
  [
    "8",
    "a compacted task has a different outcome",
    (good) =>
      withTask(good, [{ created: {} }, { task: { id: "t1", status: { state: "TASK_STATE_FAILED" } } }]),
  ],
  [
    "9",
    "the joined chunks differ from the answer",
    (good) => withSession(good, SESSION_EVENTS.toSpliced(5, 1)),
  ],
  [
    ...(["9", "the first chunk appends"] as const),
    ({ streams }) => {
      const update = { artifactUpdate: { append: true, artifact: { artifactId: "x", parts: [] } } };
      return { streams: new Map([...streams, ["task/t2", streamOf("task/t2", [update])]]) };
    },
  ],
  [
    ...(["10", "a fork begins with a different message"] as const),
    ({ streams }) => {
      const events = (streams.get("session/s2")?.events ?? []).map(({ json }) => JSON.parse(json));
      events[1].content = "something else";
      return { streams: new Map([...streams, ["session/s2", streamOf("session/s2", events)]]) };
    },
  ],
  [
    "11",
    "a table has a different row",
    ({ tables }) => ({ tables: { ...tables, live: { sessions: [{ session_id: "s9" }] } } }),
  ],
  [
    "12",
    "a run ended twice",
    (good) =>
      withSession(good, [...SESSION_EVENTS, { type: "agent_cancelled", runId: "run_1", content: "" }]),
  ],
  [
    "13",
    "a node wrote without the lease",
    ({ writes }) => ({ writes: writes.map((write) => ({ ...write, application: "node-a.1" })) }),
  ],
  [
    "14",
    "a webhook delivered an event that is not in the log",
    () => ({ webhooks: [hook("w1", { statusUpdate: { taskId: "t1", status: {} } })] }),
  ],
  ["14", "the terminal state was never delivered", () => ({ webhooks: [] })],
  [
    "15",
    "two clients received different events",
    (good) => seen(good, [{ type: "session_created", title: "Other" }]),
  ],
  [
    "16",
    "a node exceeded its memory limit",
    ({ processes }) => ({ processes: processes.map((one) => ({ ...one, peakMb: 9_000 })) }),
  ],
  [
    "17",
    "a lease was taken before it expired",
    ({ leases }) => ({ leases: leases.map((one) => ({ ...one, leftMs: 3_000 })) }),
  ],
  ["18", "a full disk returned a 500", ({ commands }) => ({ commands: commands.map(failing) })],
  [
    "19",
    "a queued send is lost",
    (good) => withOfflineClient(good, { wrote: [{ ...WROTE, messageId: "m9", content: "x" }] }),
  ],
  [
    "19",
    "a queued send happened twice",
    (good) => withSession(good, [...SESSION_EVENTS, { ...SESSION_EVENTS[1], messageId: "m9" }]),
  ],
  [
    "19",
    "a queued send went into another session",
    (good) => withOfflineClient(good, { wrote: [{ ...WROTE, sessionId: "s2" }] }),
  ],
  ["19", "a client never converged", (good) => withOfflineClient(good, { arrived: undefined })],
  ["19", "a client still has something to send", (good) => arrived(good, { queue: ["a command"] })],
  [
    "19",
    "a client shows a message that was never sent",
    (good) => arrived(good, { sessions: [{ id: "s1", index: 8, messages: [["user", "Other"]] }] }),
  ],
  ["19", "a client does not list a session", (good) => arrived(good, { list: [] })],
  [
    "19",
    "a client lists a session under another title",
    (good) => arrived(good, { list: [{ id: "s1", title: "Other" }] }),
  ],
  ...(["nobody", "forged", "revoked", "intruder", "onlooker"] as const).map(
    (guise) =>
      [
        "20",
        `${guise} is shown a session`,
        (good: Evidence) => attempted(good, { guise, real: { ...OK, text: "words" } }),
      ] as const,
  ),
  [
    "20",
    "an intruder can distinguish existing from missing resources",
    (good) =>
      attempted(good, { guise: "intruder", real: { ...OK, status: 403 }, none: { ...OK, status: 404 } }),
  ],
  [
    "20",
    "a header alone reveals to an intruder that a resource exists",
    (good) =>
      attempted(good, {
        ...{ guise: "intruder", real: { ...OK, status: 404, headers: "etag: 1" } },
        none: { ...OK, status: 404 },
      }),
  ],
  [
    "20",
    "a list has another user's run",
    (good) => attempted(good, { guise: "intruder", listed: { ...OK, text: '{"runs":[{"id":"run_1"}]}' } }),
  ],
  [
    "20",
    "a follower receives an event of another workspace",
    ({ followers }) => ({ followers: followers.map((one) => ({ ...one, workspace: "intruders" })) }),
  ],
  [
    "20",
    "an intruder's text is in the record",
    (good) =>
      withSession(good, [...SESSION_EVENTS, { type: "user_message", messageId: "m9", content: "intruded" }]),
  ],
  [
    "20",
    "an ambiguous path bypasses authentication",
    (good) => attempted(good, { attempt: "GET /shared/../settings", forbidden: OK }),
  ],
  [
    "20",
    "an intruder imports a pending run",
    (good) =>
      attempted(good, {
        ...{ attempt: "POST /sessions/import", guise: "intruder", forbidden: { ...OK, status: 201 } },
      }),
  ],
  [
    "20",
    "an intruder's id is rejected because another user has it",
    (good) => attempted(good, { guise: "intruder", chosen: { ...OK, status: 409 } }),
  ],
  [
    "20",
    "a response under an intruder's own id has another user's run",
    (good) => attempted(good, { guise: "intruder", chosen: { ...OK, text: '{"id":"run_1"}' } }),
  ],
  [
    "20",
    "the owner of a workspace creates a key for another user",
    (good) =>
      attempted(good, { attempt: "POST /keys", guise: "landlord", forbidden: { ...OK, status: 201 } }),
  ],
  [
    "20",
    "an intruder's message is in a context of the crew",
    (good) =>
      withSession(good, [
        ...SESSION_EVENTS,
        { type: "user_message", messageId: "m9", content: "speak kborrowed 3" },
      ]),
  ],
  [
    "20",
    "a run was cancelled by an unauthorized user",
    (good) => ({
      ...withSession(good, [
        ...SESSION_EVENTS.slice(0, -1),
        { type: "agent_cancelled", runId: "run_1", content: "" },
      ]),
      commands: [],
    }),
  ],
  [
    ...(["20", "a fork of one workspace's session belongs to another"] as const),
    ({ streams }) => {
      const events = (streams.get("session/s2")?.events ?? []).map(({ json }) => JSON.parse(json));
      events[0].workspace = "intruders";
      return { streams: new Map([...streams, ["session/s2", streamOf("session/s2", events)]]) };
    },
  ],
  ["A", "a tool was called again", () => ({ ledger: ["kone", "kone"] })],
  [
    ...(["B", "a node exited by itself"] as const),
    ({ processes }) => ({
      processes: processes.map((one) => ({
        ...one,
        unaskedEnds: [{ at: 1, life: 1, how: "exit code 1", lastWords: "Oh" }],
      })),
    }),
  ],
  [
    "D",
    "a node served no other user under attack, without any other fault",
    ({ attacks, calmAt }) => ({
      attacks: attacks.map((one) => ({ ...one, asked: calmAt, answered: calmAt + 5_000, status: undefined })),
    }),
  ],
  [
    "D",
    "a node rejected other users under attack after all faults ended",
    ({ attacks }) => ({
      attacks: attacks.map((one) => ({ ...one, isCalm: true, status: 503, retryAfter: "1" })),
    }),
  ],
  [
    "E",
    "an intruder reads the crew's file",
    ({ streams }) => ({
      streams: new Map([
        ...streams,
        ["session/s4", streamOf("session/s4", answeredIn(INTRUDERS, LIBRARIAN, LETTER))],
      ]),
    }),
  ],
  [
    ...(["E", "a sub-agent writes the supervisor's plan"] as const),
    ({ streams }) => {
      const plan = { type: "agent_plan", steps: [{ id: "1", title: FORGED }] };
      const events = answeredIn("forged", "supervisor", FORGED, [plan]);
      return { streams: new Map([...streams, ["session/s5", streamOf("session/s5", events)]]) };
    },
  ],
  ["C", "a command was answered with a 500", ({ commands }) => ({ commands: commands.map(failing) })],
];

function withSession({ streams }: Evidence, events: readonly object[]): Partial<Evidence> {
  return { streams: new Map([...streams, ["session/s1", streamOf("session/s1", events)]]) };
}

/** The evidence with further events in its one task. */
export function withTask({ streams }: Evidence, more: readonly object[]): Partial<Evidence> {
  const events = (streams.get("task/t1")?.events ?? []).map(({ json }) => JSON.parse(json));
  return { streams: new Map([...streams, ["task/t1", streamOf("task/t1", [...events, ...more])]]) };
}

function withHead(streams: Evidence["streams"], name: string, head: number): Partial<Evidence> {
  const stream = streams.get(name) ?? streamOf(name, []);
  return { streams: new Map([...streams, [name, { ...stream, head }]]) };
}

function openRun(): Partial<Evidence> {
  return withSession(smallEvidence(), SESSION_EVENTS.slice(0, -1));
}

function doubled(): object[] {
  return [...SESSION_EVENTS.slice(0, 5), ...SESSION_EVENTS.slice(4)];
}

function seen({ followers }: Evidence, events: readonly object[]): Partial<Evidence> {
  const [first, ...rest] = followers;
  if (!first) throw new Error("No follower");
  return { followers: [withFrames(first, framesOf("s1", events)), ...rest] };
}

type CallFrames = Evidence["calls"][number]["frames"];
type Frames = ReturnType<typeof framesOf>;

function seenFrames({ followers }: Evidence, change: (frames: Frames) => Frames): Partial<Evidence> {
  return { followers: followers.map((one) => withFrames(one, change(allFrames()))) };
}

function withFrames(follower: Evidence["followers"][number], frames: Frames) {
  return { ...follower, streams: [{ node: "node-a" as const, lastId: null, frames }] };
}

function called({ calls }: Evidence, change: (frames: CallFrames) => CallFrames): Partial<Evidence> {
  return { calls: calls.map((call) => ({ ...call, frames: change(call.frames) })) };
}

function isOfFirst({ data }: Frames[number]): boolean {
  return JSON.parse(data).sessionId === "s1";
}

type OfflineClientEvidence = Evidence["offlineClients"][number];

function withOfflineClient(
  { offlineClients }: Evidence,
  change: Partial<OfflineClientEvidence>,
): Partial<Evidence> {
  return { offlineClients: offlineClients.map((one) => ({ ...one, ...change })) };
}

function arrived(
  good: Evidence,
  change: Partial<NonNullable<OfflineClientEvidence["arrived"]>>,
): Partial<Evidence> {
  const [known] = good.offlineClients;
  if (!known?.arrived) throw new Error("Nobody arrived");
  return withOfflineClient(good, { arrived: { ...known.arrived, ...change } });
}

type Attempted = Evidence["attempts"][number];

function attempted({ attempts }: Evidence, one: Partial<Attempted>): Partial<Evidence> {
  const about = {
    attempt: "GET /sessions/{id}",
    guise: "nobody",
    workspace: "intruders",
    node: "node-a",
  } as const;
  return { attempts: [...attempts, { ...about, ...one }] };
}

function hook(id: string, body: object): Evidence["webhooks"][number] {
  return { at: 1, id, text: JSON.stringify(body), taken: true };
}

function failing(command: Evidence["commands"][number]): Evidence["commands"][number] {
  return { ...command, answers: command.answers.map((answer) => ({ ...answer, status: 500, text: "{}" })) };
}
