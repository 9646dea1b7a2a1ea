import { RUN_EXTENSION } from "@parley/a2a";
import { describe, expect, it } from "vitest";
import type { Steps } from "../peers/index.ts";
import { checked } from "./testing/checked-stream.ts";
import { piece01, piece03, status01, status03, task03 } from "./testing/older-events.ts";

describe("in the older dialects the checker reports", () => {
  it.each<[string, string, ReturnType<Steps>, readonly string[]]>([
    [
      "nothing in a valid stream of v0.3",
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
      "a first chunk of v0.3 that appends",
      "message/stream",
      [task03, status03("working", false), piece03("a", true), status03("completed", true)],
      ["append-to-nothing at 3"],
    ],
    [
      "a terminal state of v0.3 that is not marked final",
      "message/stream",
      [task03, status03("working", false), status03("completed", false)],
      ["final-flag at 3"],
    ],
    [
      "a status of v0.3 that is wrongly marked final",
      "message/stream",
      [task03, status03("working", true), status03("completed", true)],
      ["final-flag at 2", "after-final at 3"],
    ],
    [
      "nothing in a valid stream of v0.1",
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
      "a first chunk of v0.1 that appends",
      "tasks/sendSubscribe",
      [
        status01("submitted"),
        status01("working"),
        piece01("a", false),
        piece01("b", true, { index: 1 }),
        status01("failed", true),
      ],
      ["append-to-nothing at 4"],
    ],
    [
      "a leading artifact of v0.1, and events after the end",
      "tasks/sendSubscribe",
      [piece01("a", false), status01("working"), status01("completed", true), piece01("b", true)],
      ["task-first at 1", "after-final at 4"],
    ],
  ])("%s", async (_, method, steps, expected) => {
    const { stream, found } = await checked(() => steps, method);
    expect(found).toEqual(expected);
    expect([stream?.request, stream?.dialect]).toEqual([method, method === "message/stream" ? "0.3" : "0.1"]);
  });

  it("snapshots in v0.1 too, where artifacts have indexes and our own agents send their ids", async () => {
    const steps = (text: string) => [
      status01("submitted"),
      status01("working"),
      piece01("ab", false, { metadata: { [RUN_EXTENSION]: { carried: { artifactId: "answer" } } } }),
      piece01(text, false, {
        index: 1,
        metadata: { [RUN_EXTENSION]: { snapshot: { artifactId: "answer" } } },
      }),
      status01("completed", true),
    ];
    expect((await checked(() => steps("ab"), "tasks/sendSubscribe")).found).toEqual([]);
    expect((await checked(() => steps("a"), "tasks/sendSubscribe")).found).toEqual(["snapshot-differs at 5"]);
  });

  it("the same in frames without an envelope, as in REST", async () => {
    const steps: Steps = (say) =>
      [say.task(), say.status("WORKING"), say.piece("x", { append: true }), say.status("COMPLETED")].map(
        ({ event }) => ({ raw: `data: ${JSON.stringify(event)}\n\n` }),
      );
    const { stream, found } = await checked(steps);
    expect([found, stream?.dialect]).toEqual([["append-to-nothing at 3"], "1.0"]);
  });
});
