import { join } from "node:path";
import { AgentFolder, approvalFor, McpServers } from "@parley/agent";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, it, onTestFinished } from "vitest";

const root = join(import.meta.dirname, "..");

async function shippedAgents() {
  const variables = { PARLEY_DATA: await testFolder() };
  const folder = await AgentFolder.open({ folder: join(root, "agents"), variables, onChange: () => {} });
  onTestFinished(() => folder.close());
  return folder.current;
}

async function running(name: string) {
  const agent = (await shippedAgents()).agents.find((it) => it.name === name);
  if (!agent) throw new Error(`There is no agent ${name}.`);
  const servers = new McpServers(agent.mcpServers, { fetch });
  onTestFinished(() => servers.stop());
  await servers.start();
  return { agent, servers };
}

describe("the shipped agents (S0.1)", () => {
  it("are six, each with its port, skills, tools and prompt, without issues in their files", async () => {
    const { agents, problems } = await shippedAgents();
    expect(problems).toEqual([]);
    expect(agents.map(({ name, port }) => ({ name, port }))).toEqual([
      { name: "argocd", port: { afterMain: 1 } },
      { name: "calculator", port: { afterMain: 2 } },
      { name: "charts", port: { afterMain: 6 } },
      { name: "files", port: { afterMain: 3 } },
      { name: "fragile", port: { afterMain: 5 } },
      { name: "git", port: { afterMain: 4 } },
    ]);
    for (const { skills, instructions, model } of agents) {
      expect(skills.every(({ tags, examples }) => tags.length > 0 && examples.length > 0)).toBe(true);
      expect(instructions.length).toBeGreaterThan(200);
      expect(model).toBeUndefined();
    }
  });

  it("name in their prompts only tools that they have", async () => {
    const { agents } = await shippedAgents();
    expect(agents.filter(({ program }) => program).map(({ name }) => name)).toEqual(["fragile"]);
    for (const { name } of agents.filter(({ program }) => !program)) {
      const { agent, servers } = await running(name);
      expect(servers.status().map(({ state }) => state.phase)).not.toContain("down");
      const tools = servers.tools().map((tool) => tool.name);
      const named = agent.instructions.match(/(?<!\w)\w+__\w+/g) ?? [];
      expect(tools).toEqual(expect.arrayContaining(named));
      expect(named.length).toBeGreaterThan(0);
    }
  });

  it('answer "show argocd version" with the tool version_service__version (S0.13)', async () => {
    const { servers } = await running("argocd");
    expect((await servers.call("version_service__version", {})).text).toContain("v3.1.8+becb020");
  });

  it("read files without asking, and ask before they write or sync", async () => {
    const files = await running("files");
    expect((await files.servers.call("files__read_text_file", { path: "inventory.csv" })).text).toContain(
      "mug,blue",
    );
    expect((await files.servers.call("files__list_directory", { path: "." })).text).toContain(
      "meeting-notes.md",
    );
    expect((await files.servers.call("files__read_text_file", { path: "../package.json" })).failed).toBe(
      true,
    );
    const argocd = await running("argocd");
    const asks = [files, argocd].flatMap(({ agent, servers }) =>
      servers
        .tools()
        .filter((tool) => approvalFor(agent.approval, tool) === "ask")
        .map((tool) => tool.name),
    );
    expect(asks).toEqual([
      ...["files__write_file", "files__edit_file", "files__create_directory", "files__move_file"],
      ...["application_service__sync"],
    ]);
  });

  it("read the history of an existing repository", async () => {
    const { servers } = await running("git");
    const { failed, text } = await servers.call("git__log", { limit: 3 });
    expect(failed).toBe(false);
    expect(text).toMatch(/^- [0-9a-f]{10} \d{4}-\d\d-\d\d .+: .+/);
  });
});
