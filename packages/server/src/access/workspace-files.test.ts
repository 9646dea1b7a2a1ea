import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { GuardedPlatform } from "./testing/guarded-platform.ts";

const SHIPPED = resolve(import.meta.dirname, "../../../../agents");
const WRITE = 'Write "Order 20 blue mugs" to the file order.txt';
const SERVER = resolve(SHIPPED, "../mcp-servers/filesystem/main.ts");

it("the files agent works in a separate folder for each workspace, whether called directly or by the supervisor (attack 11)", async () => {
  const folder = await mkdtemp(join(tmpdir(), "parley-workspace-files-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await Promise.all(["agents", "home"].map((name) => mkdir(join(folder, name))));
  await writeFile(join(folder, "home/of-the-operator.txt"), "secret");
  await writeFile(join(folder, "agents/files.md"), await readFile(join(SHIPPED, "files.md")));
  const files = { command: "node", args: [SERVER, join(folder, "home"), join(folder, "others")] };
  await writeFile(join(folder, "agents/mcp.json"), JSON.stringify({ mcpServers: { files } }));
  const platform = await GuardedPlatform.start({
    ...{ PARLEY_AGENTS: join(folder, "agents"), PARLEY_TRUSTED_PROXIES: "127.0.0.0/8" },
  });
  onTestFinished(() => platform.stop());

  const asked = async (key: string, agent: "files" | "supervisor") => {
    const { session } = (await platform.ask("POST", "/api/v1/sessions", { key, body: { agent } })).json;
    const at = `/api/v1/sessions/${session.id}`;
    await platform.ask("POST", `${at}/messages`, { key, body: { content: "List the files in the folder." } });
    const messages = async () => (await platform.ask("GET", at, { key })).json.messages;
    await vi.waitFor(async () => expect((await messages()).at(-1).role).toBe("assistant"), {
      timeout: 60_000,
    });
    return (await messages()).at(-1).content as string;
  };
  const { secret: ann } = await platform.key("ann", "home");
  for (const agent of ["files", "supervisor"] as const) {
    expect(await asked(platform.operator, agent)).toContain("of-the-operator.txt");
    expect(await asked(ann, agent)).not.toContain("of-the-operator");
  }
  expect(await readdir(join(folder, "others"))).toHaveLength(1);

  // Its approval request is answered by A2A too, and the audit log records by whom and from where.
  const send = async (message: object) => {
    const said = { messageId: randomUUID(), role: "ROLE_USER", ...message };
    const { json } = await platform.ask("POST", "/", {
      ...{ key: ann, headers: { "A2A-Version": "1.0", "X-Forwarded-For": "192.0.2.9" } },
      body: { jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message: said } },
    });
    return json.result.task;
  };
  const task = await send({ parts: [{ text: WRITE }] });
  expect(task.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
  const ended = await send({ taskId: task.id, parts: [{ text: "Yes" }] });
  expect(ended.status.state).toBe("TASK_STATE_COMPLETED");
  const entries = async () => {
    const path = "/api/v1/audit?workspace=home&action=approval.answered";
    return (await platform.ask("GET", path, { key: platform.operator })).json.entries;
  };
  const within = { timeout: 60_000 };
  const byCall = { owner: "ann", address: "192.0.2.9" };
  await vi.waitFor(async () => expect(await entries()).toMatchObject([byCall]), within);
  const answered = async () => {
    const { session } = (await platform.ask("POST", "/api/v1/sessions", { key: ann, body: {} })).json;
    const at = `/api/v1/sessions/${session.id}`;
    await platform.ask("POST", `${at}/messages`, { key: ann, body: { content: WRITE } });
    const id = await vi.waitFor(async () => {
      const { approvals } = (await platform.ask("GET", "/api/v1/approvals", { key: ann })).json;
      expect(approvals).toHaveLength(1);
      return approvals[0].id as string;
    }, within);
    await platform.ask("POST", `${at}/approvals/${id}`, { key: ann, body: { decision: "approved" } });
    await vi.waitFor(async () => {
      const { messages } = (await platform.ask("GET", at, { key: ann })).json;
      expect(messages.map(({ role }: { role: string }) => role)).toContain("assistant");
    }, within);
    return { owner: "ann", target: session.id, details: { approval: id } };
  };
  const byApi = await answered();
  expect(await entries()).toMatchObject([byApi, byCall]);
});
