import { expect, it } from "vitest";
import { dayGroups } from "./day-groups.ts";

const flat = (...ids: readonly string[]) => ids.map((id) => ({ id, depth: 0 }));

it("sessions are grouped by day, in their order", () => {
  const now = new Date(2026, 4, 20, 9, 30);
  const on = (id: string, day: number, hour: number) => ({
    id,
    updatedAt: new Date(2026, 4, day, hour).toISOString(),
  });
  const sessions = [
    on("a", 20, 9),
    on("b", 20, 0),
    on("c", 19, 23),
    on("d", 19, 1),
    on("e", 14, 12),
    on("f", 2, 12),
  ];
  expect(dayGroups(sessions, now)).toEqual([
    { name: "today", rows: flat("a", "b") },
    { name: "yesterday", rows: flat("c", "d") },
    { name: "thisWeek", rows: flat("e") },
    { name: "earlier", rows: flat("f") },
  ]);
});

it("branches follow their parent, at the position of the latest one", () => {
  const now = new Date(2026, 4, 20, 9, 30);
  const at = (id: string, hour: number, parentId?: string) => ({
    ...{ id, updatedAt: new Date(2026, 4, 20, hour).toISOString() },
    ...(parentId && { parentId }),
  });
  const sessions = [
    at("fork-of-fork", 9, "fork"),
    at("other", 8),
    at("fork", 7, "parent"),
    at("second", 6, "parent"),
    at("parent", 5),
    at("of-yesterday", 4, "long-gone"),
  ];
  const rows = dayGroups(sessions, now)[0]?.rows.map(({ id, depth }) => `${depth} ${id}`);
  expect(rows).toEqual(["0 parent", "1 fork", "2 fork-of-fork", "1 second", "0 other", "0 of-yesterday"]);
});
