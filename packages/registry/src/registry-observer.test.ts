import { type LogFields, silentLog } from "@parley/a2a";
import { expect, it } from "vitest";
import type { KnownAgent } from "./known-agent.ts";
import { logRegistryObserver } from "./registry-observer.ts";

it("an agent that goes down is a warning with its trouble and findings, and without the query of its URL (S4.25)", () => {
  const lines: unknown[] = [];
  const line = (level: string) => (fields: LogFields, message: string) =>
    void lines.push({ level, ...fields, message });
  const observer = logRegistryObserver({ ...silentLog, warn: line("warn"), info: line("info") });
  const agent: KnownAgent = {
    ...{ name: "it", url: "https://agent.example/card.json?key=secret", since: "", state: "down" },
    findings: [{ severity: "warning", path: "$.version", message: "it is odd" }],
    trouble: "It does not answer",
  };
  observer.stateChanged(agent, "up");
  observer.stateChanged({ ...agent, state: "up", findings: [] }, "down");
  const facts = { agent: "it", url: "https://agent.example/card.json" };
  const findings = ["warning at $.version: it is odd"];
  expect(lines).toEqual([
    {
      level: "warn",
      message: "agent is down",
      before: "up",
      trouble: "It does not answer",
      findings,
      ...facts,
    },
    { level: "info", message: "agent is up", before: "down", ...facts },
  ]);
});
