import type { DomainEvent } from "@parley/client";
import { expect, it } from "vitest";
import { filteredEvents, summaryOf } from "./event-filter.ts";

const event = (index: number, type: string, payload: object) => ({ index, type, payload }) as DomainEvent;
const EVENTS = [
  event(1, "user_message", { content: "Show me" }),
  event(2, "agent_tool_call", { tool: "version", agent: "argocd", arguments: { full: "Yes" } }),
  event(3, "agent_tool_call", { tool: "evaluate", agent: "calculator" }),
];
const ALL = { type: "", agent: "", text: "" };
const found = (filter: Partial<Parameters<typeof filteredEvents>[1]>) =>
  filteredEvents(EVENTS, { ...ALL, ...filter }).map(({ index }) => index);

it("the event filter combines type, agent and case-insensitive text", () => {
  expect(found({})).toEqual([1, 2, 3]);
  expect(found({ type: "agent_tool_call" })).toEqual([2, 3]);
  expect(found({ agent: "argocd" })).toEqual([2]);
  expect(found({ text: "yes" })).toEqual([2]);
  expect(found({ text: " TOOL_CALL " })).toEqual([2, 3]);
  expect(found({ type: "agent_tool_call", text: "evaluate" })).toEqual([3]);
  expect(found({ among: new Set([1, 3]) })).toEqual([1, 3]);
});

it("an event is summarised in one line", () => {
  expect(EVENTS.map(summaryOf)).toEqual(["Show me", "version", "evaluate"]);
});
