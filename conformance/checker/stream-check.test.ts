import { RUN_EXTENSION } from "@parley/a2a";
import { describe, expect, it } from "vitest";
import { good } from "../peers/faulty-peers.ts";
import type { Steps } from "../peers/index.ts";
import { checked, message } from "./testing/checked-stream.ts";

const bad = (...wrong: readonly ((say: Parameters<Steps>[0]) => ReturnType<Steps>)[]): Steps =>
  function* (say) {
    yield say.task();
    yield say.status("WORKING");
    for (const steps of wrong) yield* steps(say) as Iterable<ReturnType<typeof say.task>>;
    yield say.status("COMPLETED");
  };

describe("in v1.0 the checker reports", () => {
  it("nothing in a valid stream, and joins its text", async () => {
    const { stream, found } = await checked(good);
    expect(found).toEqual([]);
    expect(stream).toMatchObject({
      ...{ request: "SendStreamingMessage", dialect: "1.0", events: 6, end: "closed" },
      ...{ states: ["submitted", "working", "completed"], texts: { result: "One two three." } },
      artifacts: [{ artifactId: "result", pieces: 3 }],
    });
  });

  it("nothing in a replaced artifact, and counts its text once", async () => {
    const { stream, found } = await checked(
      bad((say) => [say.piece("Halt"), say.piece("Hal"), say.piece("lo", { append: true })]),
    );
    expect([found, stream?.texts]).toEqual([[], { result: "Hallo" }]);
  });

  it("nothing in a stream of one message", async () => {
    const { stream, found } = await checked(() => [{ event: { message } }]);
    expect([found, stream?.events]).toEqual([[], 1]);
  });

  it("nothing in a stream that ends with input-required", async () => {
    const steps: Steps = (say) => [say.task(), say.status("WORKING"), say.status("INPUT_REQUIRED")];
    expect((await checked(steps)).found).toEqual([]);
  });

  it.each<[string, Steps, readonly string[]]>([
    [
      "a first chunk that appends",
      bad((say) => [say.piece("x", { append: true })]),
      ["append-to-nothing at 3"],
    ],
    [
      "a first chunk that appends, next to an existing artifact",
      bad((say) => [say.piece("x"), say.piece("y", { artifactId: "other", append: true })]),
      ["append-to-nothing at 4"],
    ],
    [
      "a chunk after the last one",
      bad((say) => [say.piece("x", { lastChunk: true }), say.piece("y", { append: true })]),
      ["append-after-last-chunk at 4"],
    ],
    [
      "an artifact without an id",
      bad((say) => [say.piece("x", { artifactId: "" })]),
      ["artifact-without-id at 3"],
    ],
    [
      "events after the end",
      bad((say) => [say.status("COMPLETED"), say.piece("x")]),
      ["after-final at 4", "after-final at 5"],
    ],
    ["an end without a final status", (say) => [say.task(), say.status("WORKING")], ["no-final-status at 2"]],
    ["an empty stream", () => [], ["no-final-status at 0"]],
    ["a leading status", (say) => [say.status("WORKING"), say.status("COMPLETED")], ["task-first at 1"]],
    ["a message after a task", (say) => [say.task(), { event: { message } }], ["task-first at 2"]],
    ["a repeated task", bad((say) => [say.task("WORKING")]), ["task-twice at 3"]],
    [
      "an invalid state transition",
      bad((say) => [say.status("SUBMITTED"), say.status("WORKING")]),
      ["illegal-state at 3"],
    ],
    [
      "an unknown state",
      bad((say) => [say.status("SLEEPING")]),
      ["illegal-state at 3", "illegal-state at 4"],
    ],
    ["a task that was never working", (say) => [say.task(), say.status("COMPLETED")], ["illegal-state at 2"]],
    ["garbage", bad(() => [{ raw: "data: {nonsense\n\n" }]), ["unreadable at 3"]],
    ["an invalid event", bad(() => [{ event: { weather: "fine" } }]), ["unreadable at 3"]],
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
      "an event of another context",
      bad(({ taskId }) => [
        {
          event: {
            statusUpdate: { taskId, contextId: "elsewhere", status: { state: "TASK_STATE_WORKING" } },
          },
        },
      ]),
      ["other-context at 3"],
    ],
    [
      "an event without a task",
      bad(() => [{ event: { artifactUpdate: { artifact: { artifactId: "a", parts: [] } } } }]),
      ["other-task at 3"],
    ],
    [
      "another dialect",
      bad(({ taskId, contextId }) => [
        {
          event: {
            kind: "status-update",
            taskId,
            contextId,
            status: { state: "working" },
            final: false,
          },
        },
      ]),
      ["mixed-dialects at 3"],
    ],
    [
      "a repeated index",
      (say) => [
        { ...say.task(), id: 4 },
        { ...say.status("WORKING"), id: 4 },
        { ...say.status("COMPLETED"), id: 5 },
      ],
      ["index-not-rising at 2"],
    ],
    [
      "a decreasing index",
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

describe("in snapshots the checker reports", () => {
  const streamed = { name: "streaming_result" };
  const snapshot = { artifactId: "p", name: "partial_result", lastChunk: true };
  const names = { [RUN_EXTENSION]: { snapshot: { artifactId: "plan" } } };

  it.each<[string, Steps, readonly string[]]>([
    ["nothing in an identical one", bad((say) => [say.piece("a", streamed), say.piece("a", snapshot)]), []],
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
        say.piece("a", {
          artifactId: "s",
          metadata: { [RUN_EXTENSION]: { snapshot: { artifactId: "plan" } } },
        }),
      ]),
      ["snapshot-differs at 5"],
    ],
    ["one without a source artifact", bad((say) => [say.piece("a", snapshot)]), ["snapshot-differs at 4"]],
  ])("%s", async (_, steps, expected) => {
    expect((await checked(steps)).found).toEqual(expected);
  });
});
