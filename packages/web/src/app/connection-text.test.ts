import type { QueuedCommand, SyncState } from "@parley/client";
import { expect, it } from "vitest";
import { connectionText } from "./connection-text.ts";
import { de } from "./strings/de.ts";
import { en } from "./strings/en.ts";

const send = { command: { type: "send" } } as QueuedCommand;
const lastError = { code: "unreachable", status: 0, message: "" };
const say = (state: Partial<SyncState>, nextTry?: number, strings = en) =>
  connectionText(
    { state: { connection: "live", queue: [], ...state }, nextTry, now: 1_000 },
    strings.connection,
  );

it("the connection text is empty while connected", () => {
  expect(say({ queue: [send] })).toBeUndefined();
});

it("the connection text names pending messages while offline", () => {
  expect(say({ connection: "offline" })).toBe("Offline");
  expect(say({ connection: "offline", queue: [send, send] })).toBe("Offline – 2 messages waiting to send");
});

it("the connection text shows when the next reconnect is", () => {
  expect(say({ connection: "connecting" })).toBe("Connecting…");
  expect(say({ connection: "connecting", lastError }, 4_200)).toBe(
    "Can’t reach the server – retrying in 4 s",
  );
  expect(say({ connection: "connecting", lastError, queue: [send] }, 900, de)).toBe(
    "Der Server ist nicht erreichbar – neuer Versuch – 1 Nachricht wartet",
  );
});
