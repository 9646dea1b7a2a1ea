import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { GuardedPlatform } from "./testing/guarded-platform.ts";

const SHIPPED = resolve(import.meta.dirname, "../../../../agents");
const SERVER = resolve(SHIPPED, "../mcp-servers/filesystem/main.ts");

it("the files agent works in a folder of each workspace's own, asked directly or by the supervisor (attack 11)", async () => {
  const folder = await mkdtemp(join(tmpdir(), "parley-workspace-files-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await Promise.all(["agents", "home"].map((name) => mkdir(join(folder, name))));
  await writeFile(join(folder, "home/of-the-operator.txt"), "secret");
  await writeFile(join(folder, "agents/files.md"), await readFile(join(SHIPPED, "files.md")));
  const files = { command: "node", args: [SERVER, join(folder, "home"), join(folder, "others")] };
  await writeFile(join(folder, "agents/mcp.json"), JSON.stringify({ mcpServers: { files } }));
  const platform = await GuardedPlatform.start({ PARLEY_AGENTS: join(folder, "agents") });
  onTestFinished(() => platform.stop());

  const asked = async (key: string, agent: "files" | "supervisor") => {
    const { session } = (await platform.ask("POST", "/api/v1/sessions", { key, body: { agent } })).json;
    const at = `/api/v1/sessions/${session.id}`;
    await platform.ask("POST", `${at}/messages`, { key, body: { content: "List the files in the folder." } });
    const messages = async () => (await platform.ask("GET", at, { key })).json.messages;
    await vi.waitFor(async () => expect((await messages()).at(-1).role).toBe("assistant"), {
      timeout: 30_000,
    });
    return (await messages()).at(-1).content as string;
  };
  const { secret: ann } = await platform.key("ann", "home");
  for (const agent of ["files", "supervisor"] as const) {
    expect(await asked(platform.operator, agent)).toContain("of-the-operator.txt");
    expect(await asked(ann, agent)).not.toContain("of-the-operator");
  }
  expect(await readdir(join(folder, "others"))).toHaveLength(1);
});
