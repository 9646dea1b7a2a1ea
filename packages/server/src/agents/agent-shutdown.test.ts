import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "@parley/testing/free-ports.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, it } from "vitest";
import { agentFile, agentsFolder, scripted } from "../testing/agent-files.ts";
import {
  answerIn,
  eventsIn,
  type StreamedEvent,
  say,
  streamRequest,
  wordsOf,
} from "../testing/conversation.ts";
import { ServerProcess } from "../testing/server-process.ts";

const HEADERS = { "Content-Type": "application/json" };

/** Says something and returns when the agent calls a tool; the connection stays open. */
async function untilToolCall(url: string, text: string): Promise<StreamedEvent> {
  const response = await fetch(url, { method: "POST", headers: HEADERS, body: streamRequest(text) });
  let heard = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    heard += chunk;
    const call = heard.endsWith("\n\n") && eventsIn(heard).find((it) => wordsOf(it).startsWith("🔧"));
    if (call) return call;
  }
  throw new Error(`No tool was called: ${heard}`);
}

async function taskAt(url: string, id: string | undefined) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tasks/get", params: { id } });
  const response = await fetch(url, { method: "POST", headers: HEADERS, body });
  return JSON.parse(await response.text()).result;
}

/** All processes below this one. */
async function descendants(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  const children = text.trim().split(" ").filter(Boolean).map(Number);
  return [...children, ...(await Promise.all(children.map(descendants))).flat()];
}

// A process that has ended but was not yet collected by its parent is still listed.
async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return stat !== "" && !/\) Z /.test(stat);
}

describe("shutdown with agents", () => {
  it("takes at most two seconds with a working task and leaves no process behind; the next start resumes the task (invariant 6)", async () => {
    const data = await testFolder();
    const stubbornPid = join(data, "stubborn.pid");
    const agents = await agentsFolder(
      {
        "worker.md": agentFile("Works.", "mcpServers: [tools]", "approval: always"),
        "stubborn.md": agentFile("Has a tool that does not want to end.", "mcpServers: [stubborn]"),
      },
      { tools: scripted("serve"), stubborn: scripted("stubborn", stubbornPid) },
    );
    const environment = { PARLEY_DATA: data, PARLEY_AGENTS: agents, PARLEY_MODEL: "offline" };
    const first = new ServerProcess(environment);
    const url = await first.agentUrl("worker");
    const child = Number(/\d+/.exec(answerIn(await say(url, "have child")))?.[0]);
    const call = await untilToolCall(url, "slow 5000 steps");
    const processes = [...new Set([...(await descendants(first.child.pid ?? 0)), child])];
    expect(existsSync(stubbornPid)).toBe(true);
    expect(processes.length).toBeGreaterThanOrEqual(3);

    const { code, milliseconds } = await first.end("SIGINT");
    expect([code, milliseconds < 2_000]).toEqual([0, true]);
    const left = async () => (await Promise.all(processes.map(isAlive))).filter(Boolean).length;
    await expect.poll(left).toBe(0);

    const second = new ServerProcess(environment);
    const again = await second.agentUrl("worker");
    const ended = async () => (await taskAt(again, call.taskId)).status.state;
    await expect.poll(ended, { timeout: 60_000 }).toBe("completed");
    // The call may have had its effect, so it was not repeated, and the answer says so.
    const { artifacts } = await taskAt(again, call.taskId);
    expect(JSON.stringify(artifacts)).toContain("outcome is unknown");
  }, 180_000);

  it("does not wait for starting agents, nor for tasks that wait for their tools", async () => {
    const agentPort = await freePort();
    const agents = await agentsFolder(
      { "waiting.md": agentFile("Waits.", "mcpServers: [silent]", `port: ${agentPort}`) },
      { silent: scripted("silent") },
    );
    const server = new ServerProcess({
      PARLEY_DATA: await testFolder(),
      PARLEY_AGENTS: agents,
      PARLEY_LOG: "debug",
    });
    const url = await server.url();
    const states = async () => JSON.parse(await (await fetch(`${url}/readyz`)).text()).checks.agents;
    await expect.poll(states).toEqual({ waiting: "starting" });
    // Its card is there, and a task waits for its tools.
    const agentUrl = `http://localhost:${agentPort}`;
    const asked = untilToolCall(agentUrl, "Hello").catch((error: Error) => error.message);
    await expect.poll(() => server.errors, { timeout: 60_000 }).toContain("task started");
    const { code, milliseconds } = await server.end("SIGTERM");
    expect([code, milliseconds < 2_000]).toEqual([0, true]);
    expect(server.errors).not.toContain('"level":"error"');
    expect(await asked).not.toContain("not available");
  }, 180_000);
});
