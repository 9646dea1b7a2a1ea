import type { Journal, StreamAppend } from "@parley/journal";
import { CommandRefusedError } from "../domain/session-command.ts";
import type { SessionEvent } from "../domain/session-event.ts";
import type { WorkspaceEvent } from "../open-session.ts";
import { sessionStream, workspaceStream } from "../session-streams.ts";
import type { Principal } from "./principal.ts";
import type { RecordedKey, RequestKey } from "./request-key.ts";

/** A session that happened elsewhere. */
export interface SessionToRecord {
  readonly principal: Principal;
  readonly sessionId: string;
  readonly events: readonly SessionEvent[];
  readonly request: RequestKey | undefined;
  readonly noted?: readonly StreamAppend[] | undefined;
}

/** Records all of it at once, as the principal's; `IndexConflictError` where there is such a session already. */
export async function recordSession(
  journal: Journal,
  { principal, sessionId, events, request, noted = [] }: SessionToRecord,
): Promise<void> {
  const { owner, workspace } = principal;
  const [first, ...rest] = events;
  if (first?.type !== "session_created")
    throw new CommandRefusedError("invalid", "A session must begin with session_created");
  const key = request && ({ ...request, events: events.length, children: [] } satisfies RecordedKey);
  const own = [{ ...first, owner, workspace, ...(key && { key }) }, ...rest];
  const told: WorkspaceEvent[] = [{ sessionId, change: "created", after: 0 }];
  await journal.appendAll(
    [
      { stream: sessionStream(sessionId), events: own, expected: 0 },
      { stream: workspaceStream(workspace), events: told },
      ...noted,
    ],
    { urgent: true },
  );
}
