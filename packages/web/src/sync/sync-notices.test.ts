import type { QueuedCommand } from "@parley/client";
import { expect, it } from "vitest";
import { en } from "../app/strings/en.ts";
import { syncNotices } from "./sync-notices.ts";

const lasting = { name: "lasting" } as const;

it("no notice is shown while everything is stored and the server is the same", () => {
  expect(syncNotices({ keeping: lasting, queue: [] }, en.sync)).toEqual([]);
  expect(syncNotices({ keeping: { name: "memory", reason: "chosen" }, queue: [] }, en.sync)).toEqual([]);
});

it("notices report another server, missing storage with its reason, and unsaved data", () => {
  const lastError = { code: "keeping", status: 0, message: "The disk is full" };
  const notices = syncNotices(
    { keeping: { name: "memory", reason: "outdated" }, isReset: true, lastError, queue: [] },
    en.sync,
  );
  expect(notices.map(({ id }) => id)).toEqual(["reset", "outdated", "keepingFailed"]);
  expect(notices.at(-1)?.text).toContain("The disk is full");
});

it("notices do not cover the connection", () => {
  const lastError = { code: "unreachable", status: 0, message: "Cut" };
  expect(syncNotices({ keeping: lasting, lastError, queue: [] }, en.sync)).toEqual([]);
});

it("a notice names messages that could not be delivered because their conversation is gone, and links to them", () => {
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
