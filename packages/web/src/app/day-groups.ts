import type { Session } from "@parley/client";

/** A session in the list, and how deep it is nested as a branch. */
interface ListedSession {
  readonly id: string;
  readonly depth: number;
}

export interface DayGroup {
  readonly name: "today" | "yesterday" | "thisWeek" | "earlier";
  readonly rows: readonly ListedSession[];
}

type Known = Pick<Session, "id" | "updatedAt" | "parentId">;

const NAMES = ["today", "yesterday", "thisWeek", "earlier"] as const;

/** Groups sessions by day; within a day the order stays, but branches follow their parent. */
export function dayGroups(sessions: readonly Known[], now: Date): readonly DayGroup[] {
  const groups = NAMES.map((name) => {
    const ofDay = sessions.filter(({ updatedAt }) => nameOf(updatedAt, now) === name);
    return { name, rows: inFamilies(ofDay) };
  });
  return groups.filter(({ rows }) => rows.length > 0);
}

/** A family is listed where its most recently changed session is. */
function inFamilies(sessions: readonly Known[]): readonly ListedSession[] {
  const byId = new Map(sessions.map((session) => [session.id, session]));
  const children = new Map<string, Known[]>();
  for (const session of sessions)
    if (session.parentId !== undefined && byId.has(session.parentId))
      children.set(session.parentId, [...(children.get(session.parentId) ?? []), session]);
  const rows: ListedSession[] = [];
  const listed = new Set<string>();
  const list = ({ id }: Known, depth: number) => {
    if (listed.has(id)) return;
    listed.add(id);
    rows.push({ id, depth });
    for (const child of children.get(id) ?? []) list(child, depth + 1);
  };
  for (const session of sessions) {
    let first = session;
    for (let parent = parentOf(first, byId); parent && !listed.has(first.id); parent = parentOf(first, byId))
      first = parent;
    list(first, 0);
  }
  return rows;
}

function parentOf({ parentId }: Known, byId: ReadonlyMap<string, Known>): Known | undefined {
  return parentId === undefined ? undefined : byId.get(parentId);
}

function nameOf(updatedAt: string, now: Date): DayGroup["name"] {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const days = Math.ceil((midnight - Date.parse(updatedAt)) / 86_400_000);
  if (days <= 0) return "today";
  if (days === 1) return "yesterday";
  return days <= 7 ? "thisWeek" : "earlier";
}
