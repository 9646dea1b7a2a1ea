import type { ShownMessage } from "@parley/client";
import { expect, it } from "vitest";
import type { TimelineItem } from "../conversation/timeline.ts";
import { sharedItems } from "./shared-items.ts";

/** A conversation of these items, in which some runs have text. */
function conversation(items: readonly TimelineItem[], answers: Readonly<Record<string, string>> = {}) {
  const answer = (runId: string) => {
    const id = answers[runId];
    return id === undefined ? undefined : ({ id } as ShownMessage);
  };
  return { timeline: () => items, answer };
}

it("an answer in its run equals the answer that a fork starts with (+4)", () => {
  const parent = conversation(["message/m1", "run/r1", "message/m2", "run/r2"], { r1: "a1", r2: "a2" });
  const fork = conversation(["message/m1", "message/a1", "message/m3"]);
  expect(sharedItems([parent, fork])).toBe(2);
});

it("two answers to one message differ, even before they arrive", () => {
  const one = conversation(["message/m1", "run/r1"], { r1: "a1" });
  expect(sharedItems([one, conversation(["message/m1", "run/r2"])])).toBe(1);
  expect(sharedItems([one, conversation(["message/m1", "run/r2"], { r2: "a2" })])).toBe(1);
});

it("all items are shared with a fork without new messages, and none with a missing session", () => {
  const parent = conversation(["message/m1", "run/r1"], { r1: "a1" });
  expect(sharedItems([parent, conversation(["message/m1", "message/a1"])])).toBe(2);
  expect(sharedItems([parent, conversation([])])).toBe(0);
  expect(sharedItems([conversation([]), parent])).toBe(0);
});
