import type { Principal, SessionRow, SessionState, Sessions } from "@parley/sessions";
import type { Session } from "../schemas/session-schemas.ts";

/** A session as clients see it. Its times are those of its first and last event: the state has none. */
export async function sessionViewOf(
  sessions: Sessions,
  principal: Principal,
  state: SessionState,
): Promise<Session> {
  const { id, title, index, messages, status, children, parent, agent, config, restorableUntil } = state;
  const [[first], [last]] = await Promise.all([
    sessions.events(principal, id, 0, 1),
    sessions.events(principal, id, index - 1, 1),
  ]);
  const createdAt = first?.at ?? 0;
  const agentUrl = [...state.runs.values()].at(-1)?.agentUrl;
  return {
    id,
    title,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(last?.at ?? createdAt),
    parentId: parent?.sessionId,
    revision: index,
    status,
    restorableUntil,
    metadata: { agentUrl, messageCount: messages.length, agent, config: { ...config } },
    children: [...children],
  };
}

/** Sessions in lists. */
export async function sessionRowViews(sessions: Sessions, rows: readonly SessionRow[]): Promise<Session[]> {
  const openings = await sessions.openings(rows);
  return rows.map((row) => sessionRowView(row, openings.get(row.id)));
}

function sessionRowView(row: SessionRow, opening: string | undefined): Session {
  const { id, title, revision, messageCount, status, parentId, agent, agentUrl } = row;
  return {
    ...{ id, title, createdAt: isoTime(row.createdAt), updatedAt: isoTime(row.updatedAt) },
    ...{ parentId, revision, status },
    metadata: { agentUrl, messageCount, agent, opening: opening || undefined },
  };
}

// Neighbouring events often have the same millisecond, and formatting it costs more than the rest of an event.
let last = { milliseconds: 0, text: new Date(0).toISOString() };

/** Formats a time as ISO 8601. */
export function isoTime(milliseconds: number): string;
export function isoTime(milliseconds: number | undefined): string | undefined;
export function isoTime(milliseconds: number | undefined): string | undefined {
  if (milliseconds === undefined) return undefined;
  if (milliseconds !== last.milliseconds) last = { milliseconds, text: new Date(milliseconds).toISOString() };
  return last.text;
}
