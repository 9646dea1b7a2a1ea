import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createNoopMeter } from "@opentelemetry/api";
import { FairQueue, type Share, type StreamResponse, silentLog, type Task, withWorkspace } from "@parley/a2a";
import { expect, it, onTestFinished } from "vitest";
import { definitionOf } from "../loop/testing/agent-at-work.ts";
import { artifactText, endOf, inShort } from "../loop/testing/seen-stream.ts";
import { openJournal } from "../loop/testing/working-agent.ts";
import type { AgentPlatform } from "./agent-service.ts";
import { HostedAgent } from "./hosted-agent.ts";

const root = join(import.meta.dirname, "../../../..");
const server = (program: string, ...args: string[]) => ({
  transport: "stdio" as const,
  command: "node",
  args: [join(root, "mcp-servers", program, "main.ts"), ...args],
  env: {},
  cwd: root,
});

/** An agent with the offline model and these MCP servers of ours, served over HTTP until the test ends. */
async function hosted(
  mcpServers: Record<string, ReturnType<typeof server>>,
  ask: readonly string[] = [],
  platform: Partial<AgentPlatform> = {},
) {
  const tools = ask.map((pattern) => ({ pattern, mode: "ask" as const }));
  const definition = definitionOf({ mcpServers, approval: { default: "always", tools } });
  const agent = new HostedAgent(definition, {
    journal: await openJournal("memory"),
    log: silentLog,
    meter: createNoopMeter(),
    environment: {},
    model: "offline",
    fetch,
    ...platform,
  });
  const http = createServer((request, response) => listener(request, response));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const listener = agent.listener(url, (_, response) => void response.writeHead(404).end());
  await agent.start();
  onTestFinished(async () => {
    http.close();
    http.closeAllConnections();
    await agent.stop();
  });
  const post = (method: string, params: object, signal?: AbortSignal) =>
    fetch(`${url}/`, {
      method: "POST",
      headers: { "content-type": "application/json", "a2a-version": "1.0" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      ...(signal && { signal }),
    });
  const message = (text: string, more: object) => ({
    message: { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text }], ...more },
  });
  return {
    send: async (text: string, more: object = {}): Promise<Task> => {
      const { result } = (await (await post("SendMessage", message(text, more))).json()) as {
        result: { task: Task };
      };
      return result.task;
    },
    stream: (text: string, signal?: AbortSignal) => post("SendStreamingMessage", message(text, {}), signal),
    get: async (id: string) => ((await (await post("GetTask", { id })).json()) as { result: Task }).result,
  };
}

it("a hosted agent's model calls are shared fairly among the users for whom the platform calls it", async () => {
  const modelCalls = new (class extends FairQueue {
    waiting = 0;
    readonly served: string[] = [];
    override async enter(share: Share, signal?: AbortSignal) {
      this.waiting++;
      const turn = await super.enter(share, signal);
      this.served.push(share.user);
      return turn;
    }
  })({ total: 1 });
  const { send } = await hosted({}, [], { modelCalls, isInternal: true });
  const occupied = await modelCalls.enter({ workspace: "", user: "somebody else" });
  const tasks: Promise<Task>[] = [];
  for (const user of ["ann", "ann", "ann", "bob"]) {
    tasks.push(send("Hello", { metadata: withWorkspace({}, { workspace: "home", user }) }));
    await expect.poll(() => modelCalls.waiting).toBe(tasks.length + 1);
  }
  occupied[Symbol.dispose]();
  for (const task of tasks) expect(endOf(await task)).toBe("completed");
  const [, ann, bob] = modelCalls.served;
  expect(ann).not.toBe(bob);
  expect(modelCalls.served.slice(1)).toEqual([ann, bob, ann, ann]);
});

it("the server runs an agent's executor: sent messages are answered whole, streamed ones live (S2.1, S2.18)", async () => {
  const { send, stream } = await hosted({ calculator: server("calculator") });
  const sent = await send("What's 2+2?");
  expect([endOf(sent), artifactText(sent).current_result]).toEqual([
    "completed",
    expect.stringContaining("4"),
  ]);
  const frames = (await (await stream("What's 2+2?")).text()).match(/^data: .*$/gm) ?? [];
  const lines = frames.map((data) =>
    inShort((JSON.parse(data.slice(6)) as { result: StreamResponse }).result),
  );
  expect(lines[0]).toBe("task");
  expect(lines).toContain("working: 🔧 Calling tool: calculator__evaluate");
  expect(lines).toContain("working: ✅ Tool completed: calculator__evaluate");
  expect(lines.at(-1)).toBe("completed");
});

it("2+2, 3+3 and their sum are 4, 6 and 10 in one context (S1.20)", async () => {
  const { send } = await hosted({ calculator: server("calculator") });
  const answers: (string | undefined)[] = [];
  for (const text of ["What's 2+2?", "What about 3+3?", "Add them together"])
    answers.push(artifactText(await send(text, { contextId: "sums" })).current_result);
  expect(answers).toEqual([
    expect.stringMatching(/\b4\b/),
    expect.stringMatching(/\b6\b/),
    expect.stringMatching(/\b10\b/),
  ]);
});

it("a dropped connection does not affect the task: its final state can be read later (S2.14)", async () => {
  const { stream, get } = await hosted({ calculator: server("calculator") });
  const drop = new AbortController();
  const reader = (await stream("What's 2+2?", drop.signal)).body?.getReader();
  const first = new TextDecoder().decode((await reader?.read())?.value);
  const id = /"task":\{"id":"([^"]+)"/.exec(first)?.[1] ?? "";
  drop.abort();
  await expect.poll(async () => endOf(await get(id))).toBe("completed");
  expect(artifactText(await get(id)).current_result).toContain("4");
});

it("a syncing agent asks for approval first, and only reads when asked what is out of sync", async () => {
  const { send } = await hosted({ application_service: server("argocd", "application") }, ["*__sync"]);
  const asked = await send("sync checkout");
  expect(endOf(asked)).toContain('May I call application_service__sync with {"name":"checkout"}');
  expect(endOf(await send("no", { taskId: asked.id }))).toBe("completed");
  const listed = await send("Which applications are out of sync?");
  expect([endOf(listed), artifactText(listed).current_result]).toEqual([
    "completed",
    expect.stringContaining("checkout"),
  ]);
});
