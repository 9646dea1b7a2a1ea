import type { RunRecord, ShownMessage } from "@parley/client";
import { expect, it } from "vitest";
import { idOf, timelineOf } from "./timeline.ts";

const message = (id: string, role: "user" | "assistant", agentRunId?: string) =>
  ({ id, role, metadata: agentRunId ? { agentRunId } : {} }) as ShownMessage;
const run = (id: string, messageId: string) => ({ [id]: { id, messageId } as RunRecord });

it("each run is below the message that it answers, even if another message came while it ran", () => {
  const messages = [
    message("m1", "user"),
    message("m2", "user"),
    message("a1", "assistant", "r1"),
    message("m3", "user"),
  ];
  const runs = { ...run("r1", "m1"), ...run("r2", "m3") };
  expect(timelineOf(messages, runs)).toEqual(["message/m1", "run/r1", "message/m2", "message/m3", "run/r2"]);
});

it("an answer that a fork started with is shown by itself, because its run is elsewhere", () => {
  const messages = [message("m1", "user"), message("a1", "assistant", "elsewhere")];
  expect(timelineOf(messages, {})).toEqual(["message/m1", "message/a1"]);
});

it("an item's id is recovered from its key, whatever its characters", () => {
  expect(idOf("run/a/b")).toBe("a/b");
});
