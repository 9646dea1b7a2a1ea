import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { readConfiguration, startPlatform } from "@parley/server";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, it, onTestFinished } from "vitest";

const run = promisify(execFile);
const program = (name: string) => join(import.meta.dirname, `${name}.ts`);

it("journal: events are followed in order, including those appended meanwhile (invariants 1 and 2)", async () => {
  const { stdout } = await run(process.execPath, [program("journal")]);
  expect(stdout.split("\n")).toHaveLength(4);
});

/** The URL that an example prints when it serves. */
async function served(child: ChildProcess): Promise<string> {
  onTestFinished(() => void child.kill());
  const [printed] = await once(child.stdout as NodeJS.ReadableStream, "data");
  return String(printed).trim();
}

/** A platform whose supervisor knows the example's agent, and an agent with the example's tools. */
async function startWith(greeterUrl: string): Promise<string> {
  const weather = { command: "node", args: [program("weather-server")] };
  const folder = await testFolder({
    "agents.json": JSON.stringify({ agents: { greeter: { url: greeterUrl } } }),
    "mcp.json": JSON.stringify({ mcpServers: { weather } }),
    "forecaster.md":
      "---\ndescription: Knows the weather.\nmcpServers: [weather]\n---\nYou know the weather.\n",
  });
  const configuration = await readConfiguration({
    ...{ PATH: process.env.PATH, PORT: "0", PARLEY_LOG: "silent", PARLEY_MODEL: "offline" },
    ...{ PARLEY_AGENTS: folder, PARLEY_DATA: join(folder, "data") },
  });
  const platform = await startPlatform(configuration);
  onTestFinished(() => platform.stop());
  await platform.agentsStarted;
  return `http://localhost:${platform.port}`;
}

it("ask, greeter-agent and weather-server: a client's question reaches a custom agent and a custom tool (S1.2, S3.4)", {
  timeout: 180_000,
}, async () => {
  const greeter = spawn(process.execPath, [program("greeter-agent")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await startWith(await served(greeter));
  const known = async () => {
    const response = await fetch(`${url}/api/v1/agents`);
    const { agents } = (await response.json()) as { agents: { name: string; state: string }[] };
    return agents.find(({ name }) => name === "greeter")?.state;
  };
  await expect.poll(known, { timeout: 60_000 }).toBe("up");
  const ask = async (question: string) => {
    const env = { ...process.env, PARLEY_URL: url };
    return (await run(process.execPath, [program("ask"), question], { env })).stdout;
  };
  expect(await ask("greet Ada")).toContain("Good day, Ada!");
  const forecast = await ask("weather forecast for Oslo");
  expect(forecast).toContain("🔧 weather__forecast");
  expect(forecast).toContain("snow, -4 °C");
});
