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

/** A piece that a task says. */
export const PIECE = { taskId: "t1", append: true, artifact: { artifactId: "a1", parts: [{ text: "2" }] } };
const OK = { status: 200, retryAfter: undefined, headers: "", text: "" };
const WROTE = { sessionId: "s1", messageId: "m1", content: "speak kone 3 entered", isOffline: true };

/** For each promise: what is wrong, and the evidence of it. */
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
  ["2", "a client saw what was never committed", (good) => seen(good, [...SESSION_EVENTS, { type: "edit" }])],
  ["2", "a client saw other bytes", (good) => seen(good, [{ type: "session_created", title: "Other" }])],
  [
    "2",
    "a caller by A2A saw what was never committed",
    (good) => called(good, (frames) => [...frames, ...callFrames([{}])]),
  ],
  ["5", "a caller by A2A saw an event twice", (good) => called(good, (frames) => [...frames, ...frames])],
  ["3", "an acknowledged message is gone", (good) => withSession(good, SESSION_EVENTS.toSpliced(1, 1))],
  [
    "4",
    "a command had two effects",
    (good) => withSession(good, [...SESSION_EVENTS, { ...SESSION_EVENTS[1], messageId: "m9" }]),
  ],
  ["5", "an event was passed over", (good) => seenFrames(good, (frames) => frames.toSpliced(2, 1))],
  [
    "5",
    "an event came twice",
    (good) => seenFrames(good, (frames) => [...frames.slice(0, 3), ...frames.slice(2)]),
  ],
  ["5", "a session was never heard of", (good) => seenFrames(good, (frames) => frames.filter(isOfFirst))],
  [
    "5",
    "the last events never came",
    (good) => seenFrames(good, (frames) => frames.toSpliced(4, SESSION_EVENTS.length - 4)),
  ],
  ["6", "nobody took a dead node's run", ({ leases }) => ({ leases: leases.slice(0, 1), ...openRun() })],
  [
    "6",
    "a dead node's run is taken too late",
    ({ leases }) => ({
      leases: leases.map((one, place) => (place === 0 ? one : { ...one, at: one.at + 20_000 })),
    }),
  ],
  [
    "6",
    "nobody took a run for half a minute after it was asked for",
    ({ leases }) => ({ leases: leases.map((one) => ({ ...one, at: one.at + 30_000 })) }),
  ],
  ["6", "a run never ended", (good) => withSession(good, SESSION_EVENTS.slice(0, -1))],
  ["7", "words were doubled", (good) => withSession(good, doubled())],
  [
    "8",
    "a run went on after its end",
    (good) => withSession(good, [...SESSION_EVENTS, { type: "agent_status", runId: "run_1" }]),
  ],
  ["8", "a task speaks on after its end", (good) => withTask(good, [{ artifactUpdate: PIECE }])],
  [
    "8",
    "an old task comes to something else when it is told again",
    (good) =>
      withTask(good, [{ created: {} }, { task: { id: "t1", status: { state: "TASK_STATE_FAILED" } } }]),
  ],
  ["9", "the pieces are not the answer", (good) => withSession(good, SESSION_EVENTS.toSpliced(5, 1))],
  [
    ...(["9", "the first piece appends"] as const),
    ({ streams }) => {
      const update = { artifactUpdate: { append: true, artifact: { artifactId: "x", parts: [] } } };
      return { streams: new Map([...streams, ["task/t2", streamOf("task/t2", [update])]]) };
    },
  ],
  [
    ...(["10", "a fork begins with something else"] as const),
    ({ streams }) => {
      const events = (streams.get("session/s2")?.events ?? []).map(({ json }) => JSON.parse(json));
      events[1].content = "something else";
      return { streams: new Map([...streams, ["session/s2", streamOf("session/s2", events)]]) };
    },
  ],
  [
    "11",
    "a table has another row",
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
    "somebody wrote without the lease",
    ({ writes }) => ({ writes: writes.map((write) => ({ ...write, application: "node-a.1" })) }),
  ],
  [
    "14",
    "a webhook tells what never was",
    () => ({ webhooks: [hook("w1", { statusUpdate: { taskId: "t1", status: {} } })] }),
  ],
  ["14", "the end was never told", () => ({ webhooks: [] })],
  [
    "15",
    "two clients saw different things",
    (good) => seen(good, [{ type: "session_created", title: "Other" }]),
  ],
  [
    "16",
    "a node took all the memory",
    ({ processes }) => ({ processes: processes.map((one) => ({ ...one, peakMb: 9_000 })) }),
  ],
  [
    "17",
    "a lease was taken before its time",
    ({ leases }) => ({ leases: leases.map((one) => ({ ...one, leftMs: 3_000 })) }),
  ],
  ["18", "a full disk is a 500", ({ commands }) => ({ commands: commands.map(failing) })],
  [
    "19",
    "a queued send is gone",
    (good) => travelled(good, { wrote: [{ ...WROTE, messageId: "m9", content: "x" }] }),
  ],
  [
    "19",
    "a queued send happened twice",
    (good) => withSession(good, [...SESSION_EVENTS, { ...SESSION_EVENTS[1], messageId: "m9" }]),
  ],
  [
    "19",
    "a queued send went into another session",
    (good) => travelled(good, { wrote: [{ ...WROTE, sessionId: "s2" }] }),
  ],
  ["19", "a client never came to rest", (good) => travelled(good, { arrived: undefined })],
  ["19", "a client still has something to send", (good) => arrived(good, { queue: ["a command"] })],
  [
    "19",
    "a client shows what was never said",
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
    "an intruder can tell what is there from what is not",
    (good) =>
      attempted(good, { guise: "intruder", real: { ...OK, status: 403 }, none: { ...OK, status: 404 } }),
  ],
  [
    "20",
    "an intruder is told by a header alone that something is there",
    (good) =>
      attempted(good, {
        ...{ guise: "intruder", real: { ...OK, status: 404, headers: "etag: 1" } },
        none: { ...OK, status: 404 },
      }),
  ],
  [
    "20",
    "a list has a run of somebody else's",
    (good) => attempted(good, { guise: "intruder", listed: { ...OK, text: '{"runs":[{"id":"run_1"}]}' } }),
  ],
  [
    "20",
    "a follower hears of another workspace",
    ({ followers }) => ({ followers: followers.map((one) => ({ ...one, workspace: "intruders" })) }),
  ],
  [
    "20",
    "an intruder's words are in the record",
    (good) =>
      withSession(good, [...SESSION_EVENTS, { type: "user_message", messageId: "m9", content: "intruded" }]),
  ],
  [
    "20",
    "somebody without a key gets past the keys by a path that is read in two ways",
    (good) => attempted(good, { attempt: "GET /shared/../settings", forbidden: OK }),
  ],
  [
    "20",
    "an intruder imports a run that is to begin",
    (good) =>
      attempted(good, {
        ...{ attempt: "POST /sessions/import", guise: "intruder", forbidden: { ...OK, status: 201 } },
      }),
  ],
  [
    "20",
    "an intruder is refused a name because somebody else has it",
    (good) => attempted(good, { guise: "intruder", chosen: { ...OK, status: 409 } }),
  ],
  [
    "20",
    "an answer under an intruder's own name has a run of somebody else's",
    (good) => attempted(good, { guise: "intruder", chosen: { ...OK, text: '{"id":"run_1"}' } }),
  ],
  [
    "20",
    "the owner of a workspace makes a key for somebody else",
    (good) =>
      attempted(good, { attempt: "POST /keys", guise: "landlord", forbidden: { ...OK, status: 201 } }),
  ],
  [
    "20",
    "what an intruder said in a context of the crew's is in it",
    (good) =>
      withSession(good, [
        ...SESSION_EVENTS,
        { type: "user_message", messageId: "m9", content: "speak kborrowed 3" },
      ]),
  ],
  [
    "20",
    "a run was cancelled by nobody who may",
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
    ...(["B", "a node ended by itself"] as const),
    ({ processes }) => ({
      processes: processes.map((one) => ({
        ...one,
        unaskedEnds: [{ at: 1, life: 1, how: "exit code 1", lastWords: "Oh" }],
      })),
    }),
  ],
  [
    "D",
    "a node served nobody under attack, and nothing else was wrong with it",
    ({ attacks, calmAt }) => ({
      attacks: attacks.map((one) => ({ ...one, asked: calmAt, answered: calmAt + 5_000, status: undefined })),
    }),
  ],
  [
    "D",
    "a node sent others away under attack when all was mended",
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

/** The evidence with more in the one task. */
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

type Travelled = Evidence["offlineClients"][number];

function travelled({ offlineClients }: Evidence, change: Partial<Travelled>): Partial<Evidence> {
  return { offlineClients: offlineClients.map((one) => ({ ...one, ...change })) };
}

function arrived(good: Evidence, change: Partial<NonNullable<Travelled["arrived"]>>): Partial<Evidence> {
  const [known] = good.offlineClients;
  if (!known?.arrived) throw new Error("Nobody arrived");
  return travelled(good, { arrived: { ...known.arrived, ...change } });
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
