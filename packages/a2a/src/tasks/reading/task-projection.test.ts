import { RecordedEvent } from "@parley/journal";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message, Task, TaskState } from "../../protocol/model.ts";
import type { TaskEvent } from "../task-events.ts";
import { TaskProjection } from "./task-projection.ts";

const ids = { taskId: "t", contextId: "c" };
const question: Message = { messageId: "m1", role: "ROLE_USER", parts: [{ text: "Why?" }] };
const submitted: Task = {
  id: "t",
  contextId: "c",
  status: { state: "TASK_STATE_SUBMITTED", timestamp: "2026-01-01T00:00:00Z" },
  history: [question],
};

function project(...events: TaskEvent[]): TaskProjection {
  const projection = new TaskProjection();
  for (const [position, event] of [{ task: submitted }, ...events].entries()) {
    projection.apply(new RecordedEvent(position + 1, 0, JSON.stringify(event)));
  }
  return projection;
}

const text = (artifactId: string, piece: string, append: boolean): TaskEvent => ({
  artifactUpdate: { ...ids, artifact: { artifactId, parts: [{ text: piece }] }, append },
});
const status = (state: TaskState, message?: Message): TaskEvent => ({
  statusUpdate: { ...ids, status: { state, timestamp: "2026-01-01T00:00:01Z", ...(message && { message }) } },
});
const said = (words: string): Message => ({ messageId: words, role: "ROLE_AGENT", parts: [{ text: words }] });

describe("the projection of a task", () => {
  it("starts with the created task, and knows which event it reflects", () => {
    const projection = project();
    expect(projection.snapshot()).toEqual(submitted);
    expect(projection.index).toBe(1);
  });

  it("joins text chunks of one artifact instead of accumulating parts (S0.17, S2.10)", () => {
    const projection = project(text("a", "Hel", false), text("b", "x", false), text("a", "lo", true));
    expect(projection.snapshot().artifacts).toEqual([
      { artifactId: "a", parts: [{ text: "Hello" }] },
      { artifactId: "b", parts: [{ text: "x" }] },
    ]);
    expect([projection.position("a"), projection.position("b"), projection.position("new")]).toEqual([
      0, 1, 2,
    ]);
  });

  it("replaces an artifact in place when a piece does not append", () => {
    const projection = project(text("a", "draft", false), text("b", "x", false), text("a", "final", false));
    expect(projection.snapshot().artifacts?.map(({ parts }) => parts)).toEqual([
      [{ text: "final" }],
      [{ text: "x" }],
    ]);
  });

  it("does not join text with its own type or metadata", () => {
    const data: TaskEvent = {
      artifactUpdate: {
        ...ids,
        artifact: {
          artifactId: "a",
          parts: [{ data: { n: 1 } }, { text: "p", mediaType: "text/html" }, { text: "q" }],
        },
        append: true,
      },
    };
    const projection = project(text("a", "1", false), text("a", "2", true), data, text("a", "r", true));
    expect(projection.snapshot().artifacts?.[0]?.parts).toEqual([
      { text: "12" },
      { data: { n: 1 } },
      { text: "p", mediaType: "text/html" },
      { text: "qr" },
    ]);
  });

  it("adds a question to the history before its answer, but no working status messages", () => {
    const answer: Message = { messageId: "m2", role: "ROLE_USER", parts: [{ text: "Blue." }] };
    const asked = project(
      status("TASK_STATE_WORKING", said("Hm")),
      status("TASK_STATE_INPUT_REQUIRED", said("Which colour?")),
    );
    expect(asked.snapshot().status.message?.messageId).toBe("Which colour?");
    expect(asked.snapshot().history?.map(({ messageId }) => messageId)).toEqual(["m1"]);
    const answered = project(
      status("TASK_STATE_INPUT_REQUIRED", said("Which colour?")),
      { received: answer },
      status("TASK_STATE_WORKING", said("Ah")),
      status("TASK_STATE_COMPLETED"),
    );
    expect(answered.snapshot().history?.map(({ messageId }) => messageId)).toEqual([
      "m1",
      "Which colour?",
      "m2",
    ]);
  });

  it("returns the requested amount of history: none, some or all", () => {
    const projection = project({ received: said("2") }, { received: said("3") });
    expect(projection.snapshot({ historyLength: 0 }).history).toBeUndefined();
    expect(projection.snapshot({ historyLength: 2 }).history?.map(({ messageId }) => messageId)).toEqual([
      "2",
      "3",
    ]);
    expect(projection.snapshot({ historyLength: 99 }).history).toHaveLength(3);
  });

  it("joins any split of any text to the same text, whether or not it is read in between (invariant 9)", () => {
    const pieces = fc.array(
      fc.record({
        artifact: fc.constantFrom("a", "b"),
        piece: fc.string({ unit: "binary" }),
        look: fc.boolean(),
      }),
    );
    fc.assert(
      fc.property(pieces, (steps) => {
        const projection = project();
        const expected = new Map<string, string>();
        for (const [n, { artifact, piece, look }] of steps.entries()) {
          const event = text(artifact, piece, expected.has(artifact));
          projection.apply(new RecordedEvent(n + 2, 0, JSON.stringify(event)));
          expected.set(artifact, (expected.get(artifact) ?? "") + piece);
          if (look) projection.snapshot();
        }
        const { artifacts = [] } = projection.snapshot();
        expect(artifacts.map(({ artifactId, parts }) => [artifactId, parts])).toEqual(
          [...expected].map(([artifactId, whole]) => [artifactId, [{ text: whole }]]),
        );
      }),
    );
  });
});
