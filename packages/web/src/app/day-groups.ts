import type { Session } from "@parley/client";

/** Sessions of about the same age, by their ids. */
export interface DayGroup {
  readonly name: "today" | "yesterday" | "thisWeek" | "earlier";
  readonly ids: readonly string[];
}

const NAMES = ["today", "yesterday", "thisWeek", "earlier"] as const;

/** Sorts a list into days, as people remember them; the order within each stays. */
export function dayGroups(
  sessions: readonly Pick<Session, "id" | "updatedAt">[],
  now: Date,
): readonly DayGroup[] {
  const groups = NAMES.map((name) => {
    const ids = sessions.filter(({ updatedAt }) => nameOf(updatedAt, now) === name).map(({ id }) => id);
    return { name, ids };
  });
  return groups.filter(({ ids }) => ids.length > 0);
}

function nameOf(updatedAt: string, now: Date): DayGroup["name"] {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const days = Math.ceil((midnight - Date.parse(updatedAt)) / 86_400_000);
  if (days <= 0) return "today";
  if (days === 1) return "yesterday";
  return days <= 7 ? "thisWeek" : "earlier";
}
