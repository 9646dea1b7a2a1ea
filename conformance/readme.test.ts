import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { AgentFolder } from "@parley/agent";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { systemTool } from "@parley/testing/system-tool.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { ApiClient } from "./sessions/testing/api-client.ts";
import { RecordPlatform } from "./sessions/testing/record-platform.ts";
import { type PlatformProcess, startPlatformProcess } from "./supervisor/testing/platform-process.ts";

const ROOT = resolve(import.meta.dirname, "..");
const page = (path: string) => readFileSync(join(ROOT, path), "utf8");
const README = page("README.md");
/** Pages with commands to paste, in this order. */
const TEXT = [README, page("docs/clients/README.md"), page("docs/api.md")].join("\n");
/** An event stream does not end by itself; it is read for this long. */
const LOOK_SECONDS = 3;
const TIMED_OUT = 28;

/** The code blocks of a language in a text, in order. */
function blocks(language: string, text = TEXT): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
    ([, code = ""]) => code,
  );
}

/** The curl commands, each with the lines that belong to it. */
const commands = blocks("sh").flatMap((block) => block.match(/^curl [\s\S]*?(?=\ncurl |\n$)/gm) ?? []);

let platform: PlatformProcess;
beforeAll(async () => {
  systemTool("curl");
  platform = await startPlatformProcess({ WEATHER_KEY: "sunny" });
}, 180_000);
afterAll(() => platform.stop());

/** Runs a command as a reader pastes it, but for the ports and the session. */
async function run(command: string, session = ""): Promise<string> {
  const here = command
    .replace(/http:\/\/localhost:800(\d)/g, (_, place) =>
      place === "0" ? platform.url : platform.agentUrl(Number(place)),
    )
    .replaceAll("SESSION", session)
    .replace(/^curl -gN/, `curl -gN --max-time ${LOOK_SECONDS}`)
    .replace(/^curl/, "curl -s");
  const work = promisify(execFile)("sh", ["-c", here]);
  const { stdout } = await work.catch((error) => {
    if (error.code === TIMED_OUT) return error as { stdout: string };
    throw error;
  });
  return stdout;
}

const commandWith = (words: string) => commands.find((command) => command.includes(words)) ?? "";

describe("the curl commands of README and docs", { timeout: 180_000 }, () => {
  it("are all executed here", () => {
    expect(commands).toHaveLength(11);
  });

  it.each([
    ["check git and files simultaneously", ["⟦", "Agent Git completed", "Agent Files completed"]],
    ["show argocd version", ["version_service__version", "v3.1.8", '"final":true']],
    ["Sync the application checkout", ["input-required", "May I call application_service__sync"]],
    ["/v1/chat/completions", ['"content":"2+2 = 4"', '"finish_reason":"stop"']],
    ["localhost:8000/agui", ["RUN_STARTED", "TEXT_MESSAGE_CONTENT", "RUN_FINISHED"]],
    ["localhost:8000/mcp", ["ask_supervisor", "ask_argocd"]],
    ["localhost:8000/ai ", ['"type":"text-delta"', '"type":"finish"', "[DONE]"]],
  ])("are answered: %s (S0.20)", async (words, said) => {
    const answer = await run(commandWith(words));
    for (const each of said) expect(answer).toContain(each);
  });

  it("create a session, post to it, read it and follow it (S4.24)", async () => {
    const [create, post, read, follow] = [
      '"title":"First"',
      "SESSION/messages",
      "sessions/SESSION ",
      "session_ids",
    ].map(commandWith) as [string, string, string, string];
    const { session } = JSON.parse(await run(create));
    expect(session.title).toBe("First");
    const events = run(follow, session.id);
    expect(JSON.parse(await run(post, session.id)).message.content).toBe("What is 2+2?");
    await new ApiClient(platform.url).ended(session.id);
    const { messages } = JSON.parse(await run(read, session.id));
    expect(messages.at(-1).content).toBe("2+2 = 4");
    expect(await events).toContain("agent_complete");
  });
});

describe("the files that README and docs show", { timeout: 180_000 }, () => {
  it("include an agent that the supervisor delegates to as soon as its file exists (S0.1)", async () => {
    const [file = ""] = blocks("markdown", README);
    expect(page("docs/agents.md")).toContain(file);
    await writeFile(join(platform.agentsFolder, "shopkeeper.md"), file);
    const api = new ApiClient(platform.url);
    const known = async () => (await api.agents()).find(({ name }) => name === "shopkeeper")?.state;
    await expect.poll(known, { timeout: 60_000 }).toBe("up");
    const id = await api.create();
    await api.post(id, "ask the shopkeeper: what is 3 * 8.50?");
    const { events, messages } = await api.ended(id);
    expect(messages.at(-1)?.content).toContain("25.5");
    expect(events.findLast(({ type }) => type === "agent_plan")?.payload.steps).toMatchObject([
      { agent: "shopkeeper", state: "completed" },
    ]);
    await rm(join(platform.agentsFolder, "shopkeeper.md"));
  });

  it("include a valid mcp.json and agents.json", async () => {
    const [servers = ""] = blocks("json", page("docs/mcp-servers.md"));
    const [agents = ""] = blocks("json", page("docs/agents.md"));
    const folder = await testFolder({ "mcp.json": servers, "weather.md": agentWith("weather") });
    const read = await AgentFolder.open({ folder, variables: { WEATHER_KEY: "sunny" }, onChange: () => {} });
    onTestFinished(() => read.close());
    expect(read.current.problems).toEqual([]);
    const { weather } = read.current.agents[0]?.mcpServers ?? {};
    expect(weather).toMatchObject({ transport: "stdio", args: ["../examples/weather-server.ts"] });
    await writeFile(join(platform.agentsFolder, "agents.json"), agents);
    const names = async () => (await new ApiClient(platform.url).agents()).map(({ name }) => name);
    await expect.poll(names, { timeout: 60_000 }).toContain("weather");
  });
});

function agentWith(server: string): string {
  return `---\ndescription: Knows the weather.\nmcpServers: [${server}]\n---\nYou know the weather.\n`;
}

it("the report in docs/getting-started.md is the one that npm start prints", () => {
  const [, report = ""] = /^```\n(✓ Parley[\s\S]*?)^```/m.exec(page("docs/getting-started.md")) ?? [];
  const port = Number(new URL(platform.url).port);
  const printed = platform.report.replaceAll(/:(\d{5})\b/g, (_, bound) => `:${8_000 + Number(bound) - port}`);
  const usual = printed
    .replace(/SQLite in .*/, "SQLite in .parley")
    .replace(" --server http://localhost:8000", "");
  expect(usual).toBe(report);
});

it("docs/command-line.md lists exactly the commands of parley", async () => {
  const parley = join(ROOT, "packages/cli/src/main.ts");
  const commandsOf = async (...path: string[]) => {
    const { stdout } = await promisify(execFile)(process.execPath, [parley, ...path, "--help"]);
    const [, list = ""] = stdout.split("Commands:\n");
    return [...(list.split("\n\n")[0] ?? "").matchAll(/^ {2}(\w+)/gm)]
      .map(([, name = ""]) => name)
      .filter((name) => name !== "help");
  };
  const groups = await Promise.all(
    (await commandsOf()).map(async (name) => ({ name, inner: await commandsOf(name) })),
  );
  const commands = groups.flatMap(({ name, inner }) =>
    inner.length === 0 ? [name] : inner.map((each) => `${name} ${each}`),
  );
  expect(commands).toContain("keys create");
  const cells = [...page("docs/command-line.md").matchAll(/^\| (`[a-z][^|]*) \|/gm)].map(
    ([, cell = ""]) => cell,
  );
  const documented = cells.flatMap((cell) =>
    [...cell.matchAll(/`([a-z]+(?: [a-z]+)?)\b[^`]*`/g)].map(([, name = ""]) => name),
  );
  expect(documented.toSorted()).toEqual(commands.toSorted());
}, 120_000);

it("two nodes started as in docs/scaling.md, on one Postgres and one data folder, show the same sessions (+12)", {
  timeout: 180_000,
}, async () => {
  const { url: database, drop } = await freshDatabase(inject("postgresUrl"));
  onTestFinished(drop);
  const commands = [...page("docs/scaling.md").matchAll(/^npm start -- ([^#\n]*)#/gm)].map(
    ([, command = ""]) => command.trimEnd(),
  );
  // All but the ports, which the test has to choose.
  const [one = [], other = []] = commands.map((command) =>
    command
      .replace(/ --port \d+/, "")
      .replace(/postgres:\S+/, database)
      .split(" "),
  );
  expect([commands.length, one, other]).toEqual([2, ["--database", database], ["--database", database]]);
  const first = await RecordPlatform.start({}, { args: one });
  const second = await RecordPlatform.start({}, { args: other, dataFolder: first.dataFolder });
  const id = await first.api.create({ title: "Shared" });
  expect((await second.api.read(id)).session.title).toBe("Shared");
});
