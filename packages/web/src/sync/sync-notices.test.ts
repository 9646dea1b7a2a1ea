import type { QueuedCommand } from "@parley/client";
import { expect, it } from "vitest";
import { en } from "../app/strings/en.ts";
import { syncNotices } from "./sync-notices.ts";

const lasting = { name: "lasting" } as const;

it("says nothing while all is kept and the server is the one that it was", () => {
  expect(syncNotices({ keeping: lasting, queue: [] }, en.sync)).toEqual([]);
  expect(syncNotices({ keeping: { name: "memory", reason: "chosen" }, queue: [] }, en.sync)).toEqual([]);
});

it("says that the server is another, that nothing is kept and why, and what could not be kept", () => {
  const lastError = { code: "keeping", status: 0, message: "The disk is full" };
  const notices = syncNotices(
    { keeping: { name: "memory", reason: "outdated" }, isReset: true, lastError, queue: [] },
    en.sync,
  );
  expect(notices.map(({ id }) => id)).toEqual(["reset", "outdated", "keepingFailed"]);
  expect(notices.at(-1)?.text).toContain("The disk is full");
});

it("leaves what has to do with the connection to others", () => {
  const lastError = { code: "unreachable", status: 0, message: "Cut" };
  expect(syncNotices({ keeping: lasting, lastError, queue: [] }, en.sync)).toEqual([]);
});

it("says what could not be delivered because its conversation is not there, and leads to it", () => {
  const refusal = (status: number) => ({ code: "not_found", status, message: "There is no such session" });
  const entry = (content: string, phase: object) =>
    ({
      key: content,
      phase,
      command: { type: "send", sessionId: "s", messageId: "m", content },
    }) as QueuedCommand;
  const queue = [
    entry("lost", { name: "refused", refusal: refusal(404) }),
    entry("too long", { name: "refused", refusal: refusal(413) }),
    entry("on its way", { name: "sending" }),
  ];
  expect(syncNotices({ keeping: lasting, queue }, en.sync)).toEqual([
    { id: "lost", text: en.sync.undelivered("lost"), href: "/s" },
  ]);
});
