import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentDefinition } from "@parley/agent";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, it } from "vitest";
import { StartError } from "../start-error.ts";
import { AgentPorts } from "./agent-ports.ts";

function agent(name: string, port?: AgentDefinition["port"]): AgentDefinition {
  return {
    name,
    file: `${name}.md`,
    description: "Helps.",
    version: "1.0.0",
    skills: [],
    outputModes: [],
    mcpServers: {},
    approval: { default: undefined, tools: [] },
    limits: {},
    thinking: false,
    tokens: "artifact",
    instructions: "Help.",
    ...(port && { port }),
  };
}

describe("agent ports", () => {
  it("are assigned uniquely to many agents at once, and remembered", async () => {
    const data = await testFolder();
    const names = Array.from({ length: 20 }, (_, index) => `agent-${index}`);
    const ports = await AgentPorts.open({ dataFolder: data, port: 8_000 });
    ports.reserve([agent("named", { afterMain: 12 })]);
    const assigned = await Promise.all(names.map((name) => ports.portOf(agent(name))));
    expect(new Set(assigned).size).toBe(20);
    expect(assigned).not.toContain(8_012);
    expect(Math.min(...assigned)).toBe(8_010);
    const again = await AgentPorts.open({ dataFolder: data, port: 8_000 });
    expect(await Promise.all(names.map((name) => again.portOf(agent(name))))).toEqual(assigned);
    expect(JSON.parse(await readFile(join(data, "agent-ports.json"), "utf8"))).toMatchObject({
      "agent-0": assigned[0],
    });
  });

  it("are any free ports if the main port is, unless fixed", async () => {
    const ports = await AgentPorts.open({ dataFolder: await testFolder(), port: 0 });
    const asked = [agent("one"), agent("two", { afterMain: 1 }), agent("three", { fixed: 9_000 })];
    expect(await Promise.all(asked.map((it) => ports.portOf(it)))).toEqual([0, 0, 9_000]);
  });

  it("are separate for each node that shares a folder", async () => {
    const dataFolder = await testFolder();
    const first = await AgentPorts.open({ dataFolder, port: 8_000 });
    const second = await AgentPorts.open({ dataFolder, node: "8100", port: 8_100 });
    const asked = [await first.portOf(agent("a")), await second.portOf(agent("a"))];
    expect(asked).toEqual([8_010, 8_110]);
    const again = await AgentPorts.open({ dataFolder, node: "8100", port: 8_100 });
    expect(await again.portOf(agent("a"))).toBe(8_110);
  });

  it.each(["{", '{"one": "eight"}', "[]"])("are not guessed from a broken record %j", async (text) => {
    const data = await testFolder({ "agent-ports.json": text });
    await expect(AgentPorts.open({ dataFolder: data, port: 8_000 })).rejects.toThrow(StartError);
    await expect(AgentPorts.open({ dataFolder: data, port: 8_000 })).rejects.toThrow("remove it");
  });
});
