import type { AgentCard } from "@parley/a2a";
import { expect, it } from "vitest";
import { knownSkill } from "./supervisor.ts";

it("knownSkill bounds what it takes from another agent's card (S4.25)", () => {
  const much = `${"x".repeat(499)}😀`.repeat(1_000);
  const skill = { id: "s", name: much, description: much, tags: Array(1_000).fill(much), examples: [much] };
  const card = { name: much, description: much, skills: Array(100).fill(skill) } as unknown as AgentCard;
  const known = knownSkill({ name: "boaster", card });
  expect(known.id).toBe("boaster");
  expect(JSON.stringify(known).length).toBeLessThan(10_000);
  expect(known.description.isWellFormed()).toBe(true);
});
