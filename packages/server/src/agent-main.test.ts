import { join } from "node:path";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, it } from "vitest";
import { agentArguments } from "./agent-configuration.ts";
import { agentFile, agentsFolder, scripted } from "./testing/agent-files.ts";
import { answerIn, say } from "./testing/conversation.ts";
import { ServerProcess, takenPort } from "./testing/server-process.ts";

const PROGRAM = join(import.meta.dirname, "agent-main.ts");

function agentProcess(args: readonly string[], environment: Record<string, string> = {}) {
  const program = [PROGRAM, ...args];
  return new ServerProcess({ PARLEY_MODEL: "offline", PARLEY_LOG: "warn", ...environment }, [], { program });
}

async function refusal(args: readonly string[], environment: Record<string, string> = {}) {
  const agent = agentProcess(args, { PARLEY_LOG: "silent", ...environment });
  expect(await agent.ended).toBe(1);
  expect(agent.output).toBe("");
  return agent.errors.trimEnd();
}

describe("npm run agent", () => {
  it("serves one agent alone, with the mcp.json beside it, its own data, status and probes", async () => {
    const agents = await agentsFolder(
      {
        "helper.md": agentFile("Helps.", "mcpServers: [tools]", "approval: always", "port: +1"),
        "other.md": agentFile("Is not meant.", "brken: yes"),
      },
      { tools: scripted("serve") },
    );
    const data = await testFolder();
    // As npm does it: the path is meant from where the user is.
    const agent = agentProcess(["helper.md", "--port", "0"], { INIT_CWD: agents, PARLEY_DATA: data });
    const url = await agent.agentUrl("helper");
    expect(agent.output).not.toContain("other");
    expect(answerIn(await say(url, 'echo "hello"'))).toContain("hello");
    const card = JSON.parse(await (await fetch(`${url}/.well-known/agent-card.json`)).text());
    expect(card).toMatchObject({ name: "helper", url: `${url}/` });
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, JSON.parse(await ready.text()).checks.agents]).toEqual([200, { helper: "up" }]);
    expect(await (await fetch(url)).text()).toContain(join(data, "agents", "helper", "journal.db"));
    expect((await agent.end()).code).toBe(0);
  }, 180_000);

  it("reports a faulty file or port in one sentence", async () => {
    const agents = await agentsFolder({
      "good.md": agentFile("Is good."),
      "bad.md": agentFile("Is bad.", "prot: 7"),
    });
    const data = await testFolder();
    const port = await takenPort();
    const [missing, taken, bad] = await Promise.all([
      refusal([join(agents, "none.md")]),
      refusal([join(agents, "good.md"), "--data", join(data, "good"), "--port", String(port)]),
      refusal([join(agents, "bad.md"), "--data", join(data, "bad")]),
    ]);
    expect(missing).toBe(`There is no file ${join(agents, "none.md")}`);
    expect(taken).toContain(`Port ${port} is in use by another program`);
    expect(bad).toContain(`${join(agents, "bad.md")}:3: `);
    expect(bad.split("\n")).toHaveLength(1);
  }, 180_000);

  it.each([
    [[], "One agent file is required"],
    [["one.md", "two.md"], "One agent file is required"],
    [["one.md", "--color"], "Unknown option '--color'"],
    [["one.md", "--port", "eighty"], '--port must be a number from 0 to 65535, not "eighty"'],
  ])("reports the invalid arguments %j in one sentence", (args, message) => {
    expect(() => agentArguments(args, "/")).toThrow(message);
  });
});
