import { expect, it } from "vitest";
import { dayGroups } from "./day-groups.ts";

it("sorts sessions into days as people remember them, and keeps their order", () => {
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
    { name: "today", ids: ["a", "b"] },
    { name: "yesterday", ids: ["c", "d"] },
    { name: "thisWeek", ids: ["e"] },
    { name: "earlier", ids: ["f"] },
  ]);
});
