import { StreamCheck } from "@parley/a2a/checks";
import { describe, expect, it } from "vitest";
import { piece01, piece03, status01, status03, task03 } from "./testing/older-events.ts";

describe("a resumed stream", () => {
  /** The violations in these consecutive streams of one task. */
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

  it("after a cursor completes the first stream's text, each chunk once", () => {
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

  it("after an unseen cursor may extend unseen artifacts", () => {
    const events: Numbered[] = [
      [5, piece03("c", true)],
      [6, status03("completed", true)],
    ];
    expect(inTurn({ request: "tasks/resubscribe", cursor: true, events }).found).toEqual([]);
  });

  it("without a cursor begins with the task and its artifacts", () => {
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

  it("in v0.1 may be an ended task, sent as a status, its artifacts and the status again", () => {
    const events: Numbered[] = [
      [0, status01("completed")],
      [0, piece01("ab", false)],
      [6, status01("completed", true)],
    ];
    expect(inTurn({ request: "tasks/resubscribe", events })).toEqual({ found: [], texts: [{ 0: "ab" }] });
  });

  it("in v0.1 may extend earlier artifacts", () => {
    const events: Numbered[] = [
      [0, status01("working")],
      [0, piece01("b", true)],
      [0, status01("completed", true)],
    ];
    expect(inTurn({ request: "tasks/resubscribe", events }).found).toEqual([]);
  });
});
