import { RUN_EXTENSION } from "@parley/a2a";
import { describe, expect, it } from "vitest";
import { good } from "../peers/faulty-peers.ts";
import { type Steps, startScriptedPeer } from "../peers/index.ts";
import { call, during } from "../peers/testing/peer-client.ts";
import { ArtifactTexts } from "./artifact-texts.ts";
import { startChecker } from "./index.ts";
import { StreamCheck } from "./stream-check.ts";

const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] };

/** What the checker says of a stream with these steps. */
async function checked(steps: Steps, method = "SendStreamingMessage", headers: Record<string, string> = {}) {
  const peer = await during(startScriptedPeer({ steps }));
  const checker = await during(startChecker(peer.url));
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { id: "t1", message } });
  const type = { "content-type": "application/json" };
  await (await fetch(checker.url, { method: "POST", headers: { ...type, ...headers }, body })).text();
  const { streams, violations } = checker.report();
  return { stream: streams[0], found: violations.map(({ rule, event }) => `${rule} at ${event}`) };
}

const bad = (...wrong: readonly ((say: Parameters<Steps>[0]) => ReturnType<Steps>)[]): Steps =>
  function* (say) {
    yield say.task();
    yield say.status("WORKING");
    for (const steps of wrong) yield* steps(say) as Iterable<ReturnType<typeof say.task>>;
    yield say.status("COMPLETED");
  };

describe("in v1.0 the checker finds", () => {
  it("nothing in a good stream, and joins its text", async () => {
    const { stream, found } = await checked(good);
    expect(found).toEqual([]);
    expect(stream).toMatchObject({
      ...{ request: "SendStreamingMessage", dialect: "1.0", events: 6, end: "closed" },
      ...{ states: ["submitted", "working", "completed"], texts: { result: "One two three." } },
      artifacts: [{ artifactId: "result", pieces: 3 }],
    });
  });

  it("nothing in what replaces, and counts the text once", async () => {
    const { stream, found } = await checked(
      bad((say) => [say.piece("Halt"), say.piece("Hal"), say.piece("lo", { append: true })]),
    );
    expect([found, stream?.texts]).toEqual([[], { result: "Hallo" }]);
  });

  it("nothing in a message alone", async () => {
    const { stream, found } = await checked(() => [{ event: { message } }]);
    expect([found, stream?.events]).toEqual([[], 1]);
  });

  it("nothing in a stream that stops to ask", async () => {
    const steps: Steps = (say) => [say.task(), say.status("WORKING"), say.status("INPUT_REQUIRED")];
    expect((await checked(steps)).found).toEqual([]);
  });

  it.each<[string, Steps, readonly string[]]>([
    [
      "a first piece that appends",
      bad((say) => [say.piece("x", { append: true })]),
      ["append-to-nothing at 3"],
    ],
    [
      "a first piece that appends, beside an artifact that is there",
      bad((say) => [say.piece("x"), say.piece("y", { artifactId: "other", append: true })]),
      ["append-to-nothing at 4"],
    ],
    [
      "a piece after the last",
      bad((say) => [say.piece("x", { lastChunk: true }), say.piece("y", { append: true })]),
      ["append-after-last-chunk at 4"],
    ],
    [
      "an artifact without an id",
      bad((say) => [say.piece("x", { artifactId: "" })]),
      ["artifact-without-id at 3"],
    ],
    [
      "what comes after the end",
      bad((say) => [say.status("COMPLETED"), say.piece("x")]),
      ["after-final at 4", "after-final at 5"],
    ],
    ["an end without a final status", (say) => [say.task(), say.status("WORKING")], ["no-final-status at 2"]],
    ["a stream without any event", () => [], ["no-final-status at 0"]],
    ["a status first", (say) => [say.status("WORKING"), say.status("COMPLETED")], ["task-first at 1"]],
    ["a message after a task", (say) => [say.task(), { event: { message } }], ["task-first at 2"]],
    ["the task again", bad((say) => [say.task("WORKING")]), ["task-twice at 3"]],
    [
      "a state that cannot follow",
      bad((say) => [say.status("SUBMITTED"), say.status("WORKING")]),
      ["illegal-state at 3"],
    ],
    [
      "a state that does not exist",
      bad((say) => [say.status("SLEEPING")]),
      ["illegal-state at 3", "illegal-state at 4"],
    ],
    ["a task that was never working", (say) => [say.task(), say.status("COMPLETED")], ["illegal-state at 2"]],
    ["garbage", bad(() => [{ raw: "data: {nonsense\n\n" }]), ["unreadable at 3"]],
    ["an event that is none", bad(() => [{ event: { weather: "fine" } }]), ["unreadable at 3"]],
    [
      "an event of another task",
      bad(() => [
        {
          event: { statusUpdate: { taskId: "x", contextId: "c", status: { state: "TASK_STATE_COMPLETED" } } },
        },
      ]),
      ["other-task at 3"],
    ],
    [
      "an event of no task",
      bad(() => [{ event: { artifactUpdate: { artifact: { artifactId: "a", parts: [] } } } }]),
      ["other-task at 3"],
    ],
    [
      "another dialect",
      bad(({ taskId }) => [
        {
          event: {
            kind: "status-update",
            taskId,
            contextId: "c",
            status: { state: "working" },
            final: false,
          },
        },
      ]),
      ["mixed-dialects at 3"],
    ],
    [
      "an index that stays",
      (say) => [
        { ...say.task(), id: 4 },
        { ...say.status("WORKING"), id: 4 },
        { ...say.status("COMPLETED"), id: 5 },
      ],
      ["index-not-rising at 2"],
    ],
    [
      "an index that falls",
      (say) => [
        { ...say.task(), id: 4 },
        { ...say.status("WORKING"), id: 6 },
        { ...say.status("COMPLETED"), id: 5 },
      ],
      ["index-not-rising at 3"],
    ],
  ])("%s", async (_, steps, expected) => {
    expect((await checked(steps)).found).toEqual(expected);
  });
});

describe("of snapshots the checker finds", () => {
  const streamed = { name: "streaming_result" };
  const snapshot = { artifactId: "p", name: "partial_result", lastChunk: true };
  const names = { [RUN_EXTENSION]: { snapshotOf: "plan" } };

  it.each<[string, Steps, readonly string[]]>([
    ["nothing in one that is alike", bad((say) => [say.piece("a", streamed), say.piece("a", snapshot)]), []],
    [
      "nothing in one that names its source",
      bad((say) => [
        say.piece("a", { artifactId: "plan" }),
        say.piece("a", { ...snapshot, metadata: names }),
      ]),
      [],
    ],
    [
      "one that differs from the result",
      bad((say) => [say.piece("a", streamed), say.piece("ab", snapshot)]),
      ["snapshot-differs at 5"],
    ],
    [
      "one that differs from its source, whatever its name",
      bad((say) => [
        say.piece("ab", { artifactId: "plan" }),
        say.piece("a", { artifactId: "s", metadata: { snapshotOf: { artifactId: "plan" } } }),
      ]),
      ["snapshot-differs at 5"],
    ],
    ["one of nothing", bad((say) => [say.piece("a", snapshot)]), ["snapshot-differs at 4"]],
  ])("%s", async (_, steps, expected) => {
    expect((await checked(steps)).found).toEqual(expected);
  });
});

/** The events of v0.3 and v0.1. */
const status03 = (state: string, final: boolean) => ({
  event: { kind: "status-update", taskId: "t1", contextId: "c", status: { state }, final },
});
const piece03 = (text: string, append: boolean) => ({
  event: {
    ...{ kind: "artifact-update", taskId: "t1", contextId: "c", append },
    artifact: { artifactId: "a", parts: [{ kind: "text", text }] },
  },
});
const task03 = { event: { kind: "task", id: "t1", contextId: "c", status: { state: "submitted" } } };
const status01 = (state: string, final = false) => ({ event: { id: "t1", status: { state }, final } });
const piece01 = (text: string, append: boolean, index = 0) => ({
  event: { id: "t1", artifact: { parts: [{ type: "text", text }], index, append } },
});

describe("in the older dialects the checker finds", () => {
  it.each<[string, string, ReturnType<Steps>, readonly string[]]>([
    [
      "nothing in a good stream of v0.3",
      "message/stream",
      [
        task03,
        status03("working", false),
        piece03("a", false),
        piece03("b", true),
        status03("completed", true),
      ],
      [],
    ],
    [
      "a first piece of v0.3 that appends",
      "message/stream",
      [task03, status03("working", false), piece03("a", true), status03("completed", true)],
      ["append-to-nothing at 3"],
    ],
    [
      "a final state of v0.3 that is not said to be final",
      "message/stream",
      [task03, status03("working", false), status03("completed", false)],
      ["final-flag at 3"],
    ],
    [
      "a status of v0.3 that is said to be final, and is not",
      "message/stream",
      [task03, status03("working", true), status03("completed", true)],
      ["final-flag at 2", "after-final at 3"],
    ],
    [
      "nothing in a good stream of v0.1",
      "tasks/sendSubscribe",
      [
        status01("submitted"),
        status01("working"),
        piece01("a", false),
        piece01("b", true),
        status01("completed", true),
      ],
      [],
    ],
    [
      "a first piece of v0.1 that appends",
      "tasks/sendSubscribe",
      [
        status01("submitted"),
        status01("working"),
        piece01("a", false),
        piece01("b", true, 1),
        status01("failed", true),
      ],
      ["append-to-nothing at 4"],
    ],
    [
      "an artifact of v0.1 first, and what comes after the end",
      "tasks/sendSubscribe",
      [piece01("a", false), status01("working"), status01("completed", true), piece01("b", true)],
      ["task-first at 1", "after-final at 4"],
    ],
  ])("%s", async (_, method, steps, expected) => {
    const { stream, found } = await checked(() => steps, method);
    expect(found).toEqual(expected);
    expect([stream?.request, stream?.dialect]).toEqual([method, method === "message/stream" ? "0.3" : "0.1"]);
  });

  it("the same in frames without an envelope, as REST has them", async () => {
    const steps: Steps = (say) =>
      [say.task(), say.status("WORKING"), say.piece("x", { append: true }), say.status("COMPLETED")].map(
        ({ event }) => ({ raw: `data: ${JSON.stringify(event)}\n\n` }),
      );
    const { stream, found } = await checked(steps);
    expect([found, stream?.dialect]).toEqual([["append-to-nothing at 3"], "1.0"]);
  });
});

describe("a stream that is taken up again", () => {
  /** What is wrong with these streams of one task, one after the other. */
  function inTurn(...streams: readonly { request: string; cursor?: boolean; events: readonly Numbered[] }[]) {
    const tasks = new Map();
    const found: string[] = [];
    const reports = streams.map(({ request, cursor = false, events }) => {
      const report = (rule: string, event: number) => found.push(`${rule} at ${event}`);
      const check = new StreamCheck({ request, isResumed: cursor, tasks, report });
      for (const [index, { event }] of events)
        check.see({ id: index === 0 ? undefined : `${index}`, data: JSON.stringify(event) }, 0);
      check.close("closed");
      return check.report();
    });
    return { found, texts: reports.map(({ texts }) => texts) };
  }
  type Numbered = readonly [number, { readonly event: object }];

  it("after a cursor has the text of the first, each piece once", () => {
    const begun: Numbered[] = [
      [1, task03],
      [2, status03("working", false)],
      [3, piece03("a", false)],
      [4, piece03("b", true)],
    ];
    const rest: Numbered[] = [
      [4, piece03("b", true)],
      [5, piece03("c", true)],
      [6, status03("completed", true)],
    ];
    const { found, texts } = inTurn(
      { request: "message/stream", events: begun },
      { request: "tasks/resubscribe", cursor: true, events: rest },
    );
    expect(found).toEqual(["no-final-status at 4"]);
    expect(texts.at(-1)).toEqual({ a: "abc" });
  });

  it("after a cursor that nobody saw may extend what nobody saw", () => {
    const events: Numbered[] = [
      [5, piece03("c", true)],
      [6, status03("completed", true)],
    ];
    expect(inTurn({ request: "tasks/resubscribe", cursor: true, events }).found).toEqual([]);
  });

  it("without a cursor begins with the task, which has its artifacts", () => {
    const artifacts = [{ artifactId: "a", parts: [{ kind: "text", text: "ab" }] }];
    const task = { event: { ...task03.event, status: { state: "working" }, artifacts } };
    const events: Numbered[] = [
      [4, task],
      [5, piece03("c", true)],
      [6, status03("completed", true)],
    ];
    const { found, texts } = inTurn({ request: "tasks/resubscribe", events });
    expect([found, texts]).toEqual([[], [{ a: "abc" }]]);
  });

  it("in v0.1 may be an ended task, told as a status, its artifacts and the status again", () => {
    const events: Numbered[] = [
      [0, status01("completed")],
      [0, piece01("ab", false)],
      [6, status01("completed", true)],
    ];
    expect(inTurn({ request: "tasks/resubscribe", events })).toEqual({ found: [], texts: [{ 0: "ab" }] });
  });

  it("in v0.1 may extend what came before it", () => {
    const events: Numbered[] = [
      [0, status01("working")],
      [0, piece01("b", true)],
      [0, status01("completed", true)],
    ];
    expect(inTurn({ request: "tasks/resubscribe", events }).found).toEqual([]);
  });
});

describe("the checker's own work", () => {
  const frame = (text: string, append: boolean) =>
    JSON.stringify({ jsonrpc: "2.0", id: 1, result: piece03(text, append).event });

  /** Milliseconds for a stream of so many events. */
  function timeFor(count: number): number {
    const check = new StreamCheck({
      request: "",
      isResumed: false,
      tasks: new Map(),
      report: () => undefined,
    });
    const start = performance.now();
    for (let place = 0; place < count; place++)
      check.see({ id: `${place + 1}`, data: frame("x", place > 0) }, place);
    expect(check.report()).toMatchObject({ events: count, texts: { a: "x".repeat(count) } });
    return performance.now() - start;
  }

  it("grows with the events, not with their square", () => {
    timeFor(25_000);
    const few = Math.min(timeFor(25_000), timeFor(25_000), timeFor(25_000));
    // Four times the events: four times the work, or sixteen if it were the square.
    expect(timeFor(100_000) / few).toBeLessThan(10);
  });

  it("stays bounded, however much is wrong and however many events come", async () => {
    const peer = await during(
      startScriptedPeer({
        *steps(say) {
          yield say.task();
          yield say.status("WORKING");
          const text = JSON.stringify(say.piece("x", { artifactId: "gone" }).event);
          const wrong = { event: JSON.parse(text.replaceAll(say.taskId, "another")) };
          for (let place = 0; place < 50_000; place++) yield wrong;
          for (let place = 0; place < 50_000; place++) yield say.piece("y", { append: place > 0 });
          yield say.status("COMPLETED");
        },
      }),
    );
    const checker = await during(startChecker(peer.url));
    await (await call(checker.url, "SendStreamingMessage", { message })).text();
    const { violations, violationCount, streams } = checker.report();
    expect([violations.length, violationCount, streams[0]?.events]).toEqual([1_000, 50_000, 100_003]);
    expect(streams[0]?.texts).toEqual({ result: "y".repeat(50_000) });
  });

  it("keeps no more text than it can, and says so", () => {
    const texts = new ArtifactTexts();
    const piece = { name: undefined, text: "x".repeat(1_000_000), lastChunk: false, snapshotOf: undefined };
    for (let place = 0; place < 80; place++)
      texts.take("a", { ...piece, artifactId: "a", append: place > 0 }, place);
    expect([texts.overflowed, texts.differingSnapshots()]).toEqual([true, []]);
    expect(texts.texts().a?.length).toBeLessThanOrEqual(64 * 1024 * 1024);
  });
});
