import type { SyncState } from "@parley/client";
import type { Strings } from "./strings/en.ts";

/** What is known about the connection to the server. */
export interface Connection {
  readonly state: Pick<SyncState, "connection" | "queue" | "lastError">;
  readonly nextTry: number | undefined;
  readonly now: number;
}

/** The connection status for the user; undefined while all is well. */
export function connectionText(
  { state, nextTry, now }: Connection,
  strings: Strings["connection"],
): string | undefined {
  const waiting = state.queue.filter(({ command }) => command.type === "send").length;
  const wait = waiting > 0 ? strings.waiting(waiting) : undefined;
  switch (state.connection) {
    case "live":
      return undefined;
    case "offline":
      return joined(strings.offline, wait);
    case "connecting": {
      if (!state.lastError && nextTry === undefined) return joined(strings.connecting, wait);
      const seconds = nextTry === undefined ? 0 : Math.ceil((nextTry - now) / 1_000);
      const again = seconds > 0 ? strings.tryingAgainIn(seconds) : strings.tryingAgain;
      return joined(strings.unreachable, again, wait);
    }
  }
}

function joined(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(" – ");
}
