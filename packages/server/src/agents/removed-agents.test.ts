import { rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { freePort } from "@parley/testing/free-ports.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, it, vi } from "vitest";
import { agentFile, agentsFolder, scripted } from "../testing/agent-files.ts";
import { eventsIn, streamRequest, wordsOf } from "../testing/conversation.ts";
import { ServerProcess } from "../testing/server-process.ts";

vi.setConfig({ testTimeout: 180_000 });

const HEADERS = { "Content-Type": "application/json" };
const REMOVED = "interrupted: the agent was removed";

async function host() {
  const port = await freePort();
  const worker = agentFile("Works.", "mcpServers: [tools]", "approval: always", `port: ${port}`);
  const agents = await agentsFolder(
    { "worker.md": worker, "other.md": agentFile("Is there.") },
    { tools: scripted("serve") },
  );
  const environment = { PARLEY_DATA: await testFolder(), PARLEY_AGENTS: agents, PARLEY_MODEL: "offline" };
  return { file: join(agents, "worker.md"), start: () => new ServerProcess(environment) };
}

/** A task whose tool never returns: its id, and all its events until the stream ends. */
async function stuckTask(url: string) {
  const body = streamRequest("slow 100000 steps");
  const response = await fetch(url, { method: "POST", headers: HEADERS, body });
  let heard = "";
  const ended = (async () => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) heard += chunk;
    return eventsIn(heard);
  })().catch(() => eventsIn(heard));
  await expect.poll(() => heard, { timeout: 60_000 }).toContain("Calling tool");
  return { id: eventsIn(heard)[0]?.id ?? "", ended };
}

async function statusOf(url: string, id: string): Promise<string> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tasks/get", params: { id } });
  const response = await fetch(url, { method: "POST", headers: HEADERS, body });
  return JSON.stringify(JSON.parse(await response.text()).result.status);
}

it("a task of an agent whose file is removed fails at once, and its followers receive the failure (invariant 6)", async () => {
  const { file, start } = await host();
  const server = start();
  const { ended } = await stuckTask(await server.agentUrl("worker"));
  await rm(file);
  const last = (await ended).at(-1);
  expect([last?.status?.state, last && wordsOf(last), last?.final]).toEqual(["failed", REMOVED, true]);
});

it("a task fails at the next start if its agent is gone, but not if the agent's file is merely invalid (invariant 6)", async () => {
  const { file, start } = await host();
  const first = start();
  const url = await first.agentUrl("worker");
  const { id } = await stuckTask(url);
  await first.end();
  await rename(file, `${file}.away`);
  const broken = join(dirname(file), "broken.md");
  await writeFile(broken, agentFile("Is broken.", "prot: 7"));

  const second = start();
  await second.agentUrl("other");
  expect(second.errors).not.toContain("were ended");
  await rm(broken);
  await expect.poll(() => second.errors, { timeout: 60_000 }).toContain('"ended tasks of removed agents"');

  await rename(`${file}.away`, file);
  const status = async () => {
    const readiness = JSON.parse(await (await fetch(`${await second.url()}/readyz`)).text());
    return readiness.checks.agents.worker;
  };
  await expect.poll(status, { timeout: 60_000 }).toBe("up");
  const end = await statusOf(url, id);
  expect(end).toContain('"failed"');
  expect(end).toContain(REMOVED);
});

it("a task continues if its agent is missing only because the folder could not be read", async () => {
  const { file, start } = await host();
  const server = start();
  const url = await server.agentUrl("worker");
  const { id } = await stuckTask(url);
  const folder = dirname(file);
  await rename(folder, `${folder}.away`);
  const agents = async () =>
    JSON.parse(await (await fetch(`${await server.url()}/readyz`)).text()).checks.agents;
  await expect.poll(agents, { timeout: 60_000 }).toEqual({});
  await rename(`${folder}.away`, folder);
  await expect.poll(async () => (await agents()).worker, { timeout: 60_000 }).toBe("up");
  // It was interrupted and reports the unknown outcome; we did not end it.
  const status = () => statusOf(url, id);
  await expect.poll(status, { timeout: 60_000 }).toContain('"completed"');
});
