import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readConfiguration, startPlatform } from "@parley/server";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { examined } from "./testing/examined.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const CHART = "Draw a chart of 3, 5, 8";

/** The prompt of each agent that makes its tools return every media type. */
const REQUESTS: Readonly<Record<string, string>> = {
  argocd: "show argocd version",
  calculator: "What is 15% of 80?",
  charts: CHART,
  files: "What is in the meeting notes?",
  fragile: "What can you do?",
  git: "What were the last five commits?",
};

/** The supervisor's address, and those of the agents by their names. */
async function platformWith(agents: string) {
  const configuration = await readConfiguration({
    ...{ PATH: process.env.PATH, PORT: "0", PARLEY_LOG: "silent", PARLEY_MODEL: "offline" },
    ...{ PARLEY_AGENTS: agents, PARLEY_DATA: await testFolder() },
  });
  const platform = await startPlatform(configuration);
  onTestFinished(() => platform.stop());
  const { agents: started } = await platform.agentsStarted;
  const urls = Object.fromEntries(started.map(({ name, url = "" }) => [name, url]));
  return { urls, supervisor: `http://127.0.0.1:${platform.port}/` };
}

const modesOf = (url: string, message: string) =>
  examined(url, "--only", "artifact-output-modes", "--message", message);

/** The media types that a check saw, over all bindings. */
function sentIn({ checks }: Awaited<ReturnType<typeof modesOf>>): readonly string[] {
  const seen = checks.flatMap(({ verdicts }) => verdicts.flatMap(({ detail }) => detail.split(", ")));
  return [...new Set(seen)].sort();
}

async function listedModes(url: string): Promise<readonly string[]> {
  const card = await (await fetch(new URL("/.well-known/agent-card.json", url))).json();
  return (card as { defaultOutputModes: string[] }).defaultOutputModes;
}

describe("the output modes of the shipped agents", { timeout: 180_000 }, () => {
  it("are media types without wildcards and cover everything the doctor sees them send", async () => {
    const { urls, supervisor } = await platformWith(join(ROOT, "agents"));
    expect(Object.keys(urls).sort()).toEqual(Object.keys(REQUESTS));
    for (const [url, request] of [
      ...Object.entries(REQUESTS).map(([name, request]) => [urls[name] ?? "", request] as const),
      [supervisor, CHART] as const,
    ]) {
      // Before it is called: the fragile one crashes then.
      expect((await listedModes(url)).filter((mode) => mode.includes("*"))).toEqual([]);
      const diagnosis = await modesOf(url, request);
      expect([url, diagnosis.ids("pass")]).toEqual([url, ["artifact-output-modes"]]);
      if (request === CHART)
        expect(sentIn(diagnosis)).toEqual(
          expect.arrayContaining(["image/svg+xml", "text/csv", "text/plain"]),
        );
    }
  });

  it("are reported as wrong when an agent's file omits what its tools return", async () => {
    const shipped = await readFile(join(ROOT, "agents/charts.md"), "utf8");
    const folder = await testFolder({ "charts.md": shipped.replace(/^outputModes:.*\n/m, "") });
    const charts = { command: "node", args: [join(ROOT, "mcp-servers/charts/main.ts")] };
    await writeFile(join(folder, "mcp.json"), JSON.stringify({ mcpServers: { charts } }));
    const { urls, supervisor } = await platformWith(folder);
    for (const url of [urls.charts ?? "", supervisor]) {
      const diagnosis = await modesOf(url, CHART);
      expect(diagnosis.ids("warn")).toEqual(["artifact-output-modes"]);
      expect(diagnosis.found("artifact-output-modes")).toContain("Sends image/svg+xml, text/csv, but lists");
    }
  });
});
