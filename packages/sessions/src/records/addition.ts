import type { SessionCommand } from "../domain/session-command.ts";
import type { SessionEvent } from "../domain/session-event.ts";
import type { Principal } from "./principal.ts";

/** What an event takes that says nothing. */
const EVENT_BYTES = 100;

/** How much a command is about to add to what its principal has. */
export interface Addition {
  readonly bytes: number;
  readonly sessions: number;
  readonly runs: number;
}

/** Lets a principal add so much, or throws; what it gives is disposed of when it is recorded. */
export type Admit = (principal: Principal, addition: Addition) => Promise<Disposable>;

/** What a command adds; undefined: nothing that counts, so that whoever has too much can still tidy up. */
export function additionOf(command: SessionCommand): Addition | undefined {
  switch (command.type) {
    case "create":
      return { sessions: 1, runs: 0, bytes: 0 };
    case "postMessage":
      // Somebody let it begin elsewhere.
      return command.hasBegun ? undefined : { sessions: 0, runs: 1, bytes: command.content.length };
    case "edit":
      return { sessions: 1, runs: 1, bytes: command.content.length };
    case "retry":
      return { sessions: 1, runs: 1, bytes: 0 };
    case "fork": {
      const { told = [], ask } = command;
      const bytes = told.reduce((sum, { content }) => sum + content.length, ask?.content.length ?? 0);
      return { sessions: 1, runs: ask ? 1 : 0, bytes };
    }
    case "compare": {
      const { branches } = command;
      const bytes = branches.reduce((sum, { ask }) => sum + ask.content.length, 0);
      return { sessions: branches.length, runs: branches.length, bytes };
    }
    default:
      return undefined;
  }
}

/** What a session that happened elsewhere adds: what is said in it, at least. */
export function adoptedAddition(events: readonly SessionEvent[]): Addition {
  const said = (event: SessionEvent) =>
    "content" in event && typeof event.content === "string" ? event.content.length : 0;
  const bytes = events.reduce((sum, event) => sum + EVENT_BYTES + said(event), 0);
  return { sessions: 1, runs: 0, bytes };
}
