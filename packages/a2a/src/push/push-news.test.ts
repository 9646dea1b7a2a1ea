import { describe, expect, it } from "vitest";
import type { TaskState } from "../protocol/model.ts";
import { isNews } from "./push-table.ts";

describe("isNews: a status is a notification", () => {
  const now = Date.parse("2030-01-01T00:00:00Z");
  it.each<[string, TaskState, { state: TaskState | null; said: number | null }, boolean]>([
    ["if none was sent before", "TASK_STATE_WORKING", { state: null, said: null }, true],
    [
      "if the state has changed, however soon",
      "TASK_STATE_COMPLETED",
      { state: "TASK_STATE_WORKING", said: now },
      true,
    ],
    [
      "not if it is another update within a second",
      "TASK_STATE_WORKING",
      { state: "TASK_STATE_WORKING", said: now - 999 },
      false,
    ],
    [
      "if it is an update after a second",
      "TASK_STATE_WORKING",
      { state: "TASK_STATE_WORKING", said: now - 1_000 },
      true,
    ],
    [
      "if the clock was set back",
      "TASK_STATE_WORKING",
      { state: "TASK_STATE_WORKING", said: now + 3_600_000 },
      true,
    ],
  ])("%s", (_, state, last, news) => {
    expect(isNews({ state, timestamp: new Date(now).toISOString() }, last)).toBe(news);
  });
});
