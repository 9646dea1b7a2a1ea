import { parseCidrList } from "@parley/a2a";
import { openPostgresJournal } from "@parley/journal/postgres";
import { AgentRegistry, ListedAgents } from "@parley/registry";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { pino } from "pino";
import { expect, inject, it, onTestFinished } from "vitest";
import { startCardAgent } from "../testing/card-agent.ts";
import { LeasedHealthChecker } from "./leased-health-checker.ts";

const PACE = { pollMs: 20, firstRetryMs: 600_000, longestRetryMs: 600_000 };

/** A node's registry, which knows the agent by this address. */
async function startedNode(database: string, url: string) {
  const journal = await openPostgresJournal({ url: database, leaseMs: 10_000 });
  const leadership = new LeasedHealthChecker(journal, pino({ level: "silent" }));
  const listed = new ListedAgents();
  listed.set([{ name: "echo", url }]);
  const policy = { allow: parseCidrList("127.0.0.0/8,::1/128") };
  const registry = new AgentRegistry({ sources: [listed], policy, leadership, ...PACE });
  await registry.start();
  await leadership.start((agent) => registry.recheck(agent));
  const stop = async () => {
    registry.stop();
    await leadership.stop();
    await journal.close();
  };
  return { leadership, stop, state: () => registry.agent("echo")?.state };
}

it("one node checks a remote agent for all nodes, shares the result, and another takes over when it stops (+12)", async () => {
  const { url: database, drop } = await freshDatabase(inject("postgresUrl"));
  onTestFinished(drop);
  const agent = await startCardAgent();
  const first = await startedNode(database, agent.url);
  const second = await startedNode(database, agent.url.replace("127.0.0.1", "localhost"));
  onTestFinished(second.stop);
  expect([first.leadership.isLeader, second.leadership.isLeader]).toEqual([true, false]);
  expect([first.state(), second.state()]).toEqual(["up", "up"]);
  const before = { first: agent.looks("127.0.0.1"), second: agent.looks("localhost") };
  await expect.poll(() => agent.looks("127.0.0.1")).toBeGreaterThan(before.first + 5);
  expect(agent.looks("localhost")).toBe(before.second);

  await agent.stop();
  await expect.poll(() => [first.state(), second.state()]).toEqual(["down", "down"]);
  await first.stop();
  await expect.poll(() => second.leadership.isLeader).toBe(true);
});
