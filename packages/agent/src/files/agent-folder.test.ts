import { writeFileSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { type AgentChange, AgentFolder } from "./agent-folder.ts";
import { problemText } from "./located-document.ts";

const never = 3_600_000;

function agent(description: string, more = ""): string {
  return `---\ndescription: ${description}\n${more}---\nHelp.\n`;
}

async function watched(
  files: Record<string, string>,
  times: { debounceMs?: number; rescanMs?: number } = {},
) {
  const folder = await testFolder(files);
  const changes: AgentChange[] = [];
  const agents = await AgentFolder.open({
    folder,
    variables: {},
    onChange: (change) => changes.push(change),
    debounceMs: 20,
    rescanMs: never,
    ...times,
  });
  onTestFinished(() => agents.close());
  const names = () => agents.current.agents.map(({ name, description }) => `${name}: ${description}`);
  return { folder, agents, changes, names };
}

describe("AgentFolder", () => {
  it("reads agents, their servers and issues at startup", async () => {
    const { agents, names, folder } = await watched({
      "mcp.json": `{"mcpServers": {"git": {"command": "git-mcp"}, "bad": {}}}`,
      "a.md": agent("A", "mcpServers: [git, bad]\n"),
      "b.md": "broken",
      "c.md": agent("C", "name: a\n"),
      "README.md": "about this folder",
      "notes.txt": "",
    });
    expect(names()).toEqual(["a: A"]);
    expect(agents.current.agents[0]?.mcpServers).toMatchObject({
      git: { command: "git-mcp" },
      bad: { transport: "invalid", reason: expect.stringContaining("command is missing") },
    });
    expect(agents.current.problems.map(problemText)).toEqual([
      `${folder}/mcp.json:1: mcpServers.bad.command is missing: expected text`,
      `${folder}/b.md:1: expected --- in the first line: an agent's file begins with front matter`,
      `${folder}/c.md:1: the agent a is in ${folder}/a.md already: rename one`,
    ]);
  });

  it("picks up added, changed, renamed and removed files", async () => {
    const { folder, changes, names } = await watched({ "a.md": agent("A") });
    await writeFile(join(folder, "b.md"), agent("B"));
    await expect.poll(names).toEqual(["a: A", "b: B"]);
    await writeFile(join(folder, "a.md"), agent("A, but better"));
    await expect.poll(names).toEqual(["a: A, but better", "b: B"]);
    await rename(join(folder, "b.md"), join(folder, "c.md"));
    await expect.poll(names).toEqual(["a: A, but better", "c: B"]);
    await rm(join(folder, "a.md"));
    await expect.poll(names).toEqual(["c: B"]);
    expect(changes.flatMap(({ added }) => added.map(({ name }) => name))).toEqual(["b", "c"]);
    expect(changes.flatMap(({ changed }) => changed.map(({ name }) => name))).toEqual(["a"]);
    expect(changes.flatMap(({ removed }) => removed.map(({ name }) => name))).toEqual(["b", "a"]);
  });

  it("keeps the last good version of a broken file, and reports it", async () => {
    const { folder, agents, names } = await watched({ "a.md": agent("A") });
    await writeFile(join(folder, "a.md"), "---\ndescription: [\n---\nHelp.");
    await expect.poll(() => agents.current.problems.length).toBeGreaterThan(0);
    expect(names()).toEqual(["a: A"]);
    await writeFile(join(folder, "a.md"), agent("A is back"));
    await expect.poll(names).toEqual(["a: A is back"]);
    expect(agents.current.problems).toEqual([]);
  });

  it("picks up a changed mcp.json, and keeps the last good one when it is broken", async () => {
    const { folder, agents, changes } = await watched({
      "mcp.json": `{"mcpServers": {"git": {"command": "one"}}}`,
      "a.md": agent("A", "mcpServers: [git]\n"),
    });
    const command = () => Reflect.get(agents.current.agents[0]?.mcpServers.git ?? {}, "command");
    await writeFile(join(folder, "mcp.json"), `{"mcpServers": {"git": {"command": "two"}}}`);
    await expect.poll(command).toBe("two");
    expect(changes.at(-1)?.changed.map(({ name }) => name)).toEqual(["a"]);
    await writeFile(join(folder, "mcp.json"), `{"mcpServers": {"git": `);
    await expect.poll(() => agents.current.problems.length).toBeGreaterThan(0);
    expect(command()).toBe("two");
  });

  it("polls for changes without notifications, also when the folder itself was replaced", async () => {
    const { folder, names } = await watched({ "a.md": agent("A") }, { rescanMs: 30, debounceMs: never });
    await writeFile(join(folder, "b.md"), agent("B"));
    await expect.poll(names).toEqual(["a: A", "b: B"]);
    await rm(folder, { recursive: true });
    await expect.poll(names).toEqual([]);
    await mkdir(folder);
    await writeFile(join(folder, "c.md"), agent("C"));
    await expect.poll(names).toEqual(["c: C"]);
  });

  it("coalesces many changes into few reads, and emits nothing when nothing changed", async () => {
    const { folder, changes, agents } = await watched({ "a.md": agent("A") });
    // Without a pause in which a reading could begin.
    for (let i = 0; i < 50; i++) writeFileSync(join(folder, `many-${i}.md`), agent(`number ${i}`));
    await expect.poll(() => agents.current.agents.length).toBe(51);
    expect(changes.length).toBeLessThan(10);
    const before = changes.length;
    await agents.refresh();
    expect(changes.length).toBe(before);
  });

  it("reports a missing folder as an issue, not as an error", async () => {
    const { agents } = await watched({});
    const missing = await AgentFolder.open({ folder: "/no/such/folder", variables: {}, onChange: () => {} });
    missing.close();
    expect(agents.current).toEqual({ agents: [], problems: [] });
    expect(missing.current.problems.map(problemText)).toEqual([
      "/no/such/folder:1: the folder cannot be read (ENOENT)",
    ]);
  });
});
