import { copyFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readConfiguration, startPlatform } from "@parley/server";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, it, onTestFinished } from "vitest";
import { RecordedSession, textsOf } from "./testing/recorded-session.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** The platform with its supervisor and two of its own agents, their real tools, and the offline model. */
async function startSupervisor(): Promise<string> {
  const program = (name: string, ...args: readonly string[]) => ({
    command: "node",
    args: [join(ROOT, "mcp-servers", name, "main.ts"), ...args],
  });
  const mcpServers = {
    version_service: program("argocd", "version"),
    application_service: program("argocd", "application"),
    calculator: program("calculator"),
  };
  const folder = await testFolder({ "mcp.json": JSON.stringify({ mcpServers }) });
  for (const name of ["argocd", "calculator"])
    await copyFile(join(ROOT, "agents", `${name}.md`), join(folder, `${name}.md`));
  const configuration = await readConfiguration({
    ...{ PATH: process.env.PATH, PORT: "0", PARLEY_LOG: "silent", PARLEY_MODEL: "offline" },
    ...{ PARLEY_AGENTS: folder, PARLEY_DATA: join(folder, "data") },
  });
  const platform = await startPlatform(configuration);
  onTestFinished(() => platform.stop());
  await platform.agentsStarted;
  return `http://localhost:${platform.port}`;
}

it("a supervisor run records its plan, calls, agent output and answer, each once (S4.22, S4.23, invariant 9)", {
  timeout: 180_000,
}, async () => {
  const url = await startSupervisor();
  const session = await RecordedSession.start();
  await session.ask("What is the version of Argo CD, and what is 6 times 7?", url);
  const state = await session.ended();
  const events = await session.events();
  const complete = events.find((event) => event.type === "agent_complete");
  expect(complete).toMatchObject({
    state: "completed",
    usage: { model: expect.stringContaining("offline") },
  });
  expect(textsOf(events, "answer").join("")).toBe(complete?.content);
  expect(complete?.content).toContain("v3.1.8");
  expect(complete?.content).toContain("42");
  const calls = events.filter((event) => event.type === "agent_tool_call");
  const results = events.filter((event) => event.type === "agent_tool_result");
  expect(calls.map(({ agent }) => agent)).toEqual(expect.arrayContaining(["argocd", "calculator"]));
  expect(new Set(results.map(({ callId }) => callId))).toEqual(new Set(calls.map(({ callId }) => callId)));
  const run = state.runs.get("r1");
  expect(run?.plan?.map((step) => step.state)).toEqual(["completed", "completed"]);
  expect(textsOf(events, "plan").join("")).toContain("⟦");
});
