import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerIn, endOf, eventsIn, say, wordsOf } from "../testing/conversation.ts";
import { ServerProcess } from "../testing/server-process.ts";

const SHIPPED = resolve(import.meta.dirname, "../../../../agents");

describe("the platform as npm start runs it, with the shipped agents", () => {
  let server: ServerProcess;
  let data: string;
  const urlOf = (name: string) => server.agentUrl(name);

  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), "parley-shipped-"));
    const environment = {
      ...{ PARLEY_DATA: data, PARLEY_AGENTS: SHIPPED, PARLEY_MODEL: "offline" },
      PARLEY_OFFLINE_MODEL_ENDPOINT: "on",
    };
    server = new ServerProcess(environment, [], { cleanUp: afterAll });
    await server.agentUrl("argocd");
  }, 180_000);
  afterAll(async () => {
    await server.end();
    await rm(data, { recursive: true, force: true });
  });

  it("answers the first document's curl with notices, tokens, current_result and completed (S0.13–15, S0.20)", async () => {
    const data =
      '{"id":"test-2","method":"message/stream","params":{"message":{"role":"user","parts":[{"kind":"text","text":"show argocd version"}],"messageId":"msg-2"}}}';
    const { stdout } = await promisify(execFile)("curl", [
      ...["-s", "-X", "POST", await urlOf("argocd")],
      ...["-H", "Content-Type: application/json", "-H", "Accept: text/event-stream", "-d", data],
    ]);
    const events = eventsIn(stdout);
    const [task, working, calling, completed, ...tokens] = events;
    expect([task?.kind, task?.status?.state]).toEqual(["task", "submitted"]);
    expect([working?.kind, working?.status?.state]).toEqual(["status-update", "working"]);
    expect(calling && wordsOf(calling)).toBe("🔧 Calling tool: version_service__version");
    expect(completed && wordsOf(completed)).toBe("✅ Tool completed: version_service__version");
    const final = tokens.pop();
    // On a busy machine tokens are joined before they are recorded.
    expect(tokens.length).toBeGreaterThan(1);
    expect(new Set(tokens.map(({ artifact }) => artifact?.artifactId)).size).toBe(1);
    expect(new Set(tokens.map(({ artifact }) => artifact?.name))).toEqual(new Set(["current_result"]));
    expect(tokens.map(({ append }) => append)).toEqual([false, ...tokens.slice(1).map(() => true)]);
    expect(tokens.map(({ lastChunk }) => lastChunk)).toEqual([...tokens.slice(1).map(() => false), true]);
    expect(answerIn(events)).toContain("v3.1.8+becb020");
    expect([final?.kind, final?.status?.state, final?.final]).toEqual(["status-update", "completed", true]);
  });

  it("remembers earlier results in a session: 4, 6, 10 (S1.20)", async () => {
    const url = await urlOf("calculator");
    const send = async (id: string, text: string) => {
      const message = { role: "user", parts: [{ type: "text", text }] };
      const params = { id, sessionId: "session-1", message };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tasks/send", params });
      const headers = { "Content-Type": "application/json" };
      const response = await fetch(url, { method: "POST", headers, body });
      const { result } = JSON.parse(await response.text());
      return [result.status.state, result.artifacts[0].parts[0].text];
    };
    expect(await send("one", "What's 2+2?")).toEqual(["completed", "2+2 = 4"]);
    expect(await send("two", "What about 3+3?")).toEqual(["completed", "3+3 = 6"]);
    expect(await send("three", "Add them together")).toEqual(["completed", "4 + 6 = 10"]);
  });

  it.each([
    ["argocd", "What differs in checkout?", "application_service__diff", "spec.replicas: 2 → 3"],
    ["git", "What were the last five commits?", "git__log", "2026-"],
    ["git", "Which branches are there?", "git__branches", ""],
    ["files", "Read the complete contents of inventory.csv as text", "files__read_text_file", "mug,blue"],
  ])("makes %s answer %j with %s", async (agent, question, tool, answer) => {
    const events = await say(await urlOf(agent), question);
    expect(events.map(wordsOf)).toContain(`✅ Tool completed: ${tool}`);
    expect([endOf(events), answerIn(events)]).toEqual(["completed", expect.stringContaining(answer)]);
  });

  it("syncs an application only after approval, and not after a rejection (S1.13)", async () => {
    const url = await urlOf("argocd");
    const ask = async () => {
      const events = await say(url, "Sync the application checkout");
      const last = events.at(-1);
      expect(endOf(events)).toBe("input-required");
      expect(last && wordsOf(last)).toContain("May I call application_service__sync");
      return { taskId: last?.taskId ?? "", contextId: last?.contextId ?? "" };
    };
    const calls = (events: Awaited<ReturnType<typeof say>>) =>
      events.map(wordsOf).filter((words) => words.includes("application_service__sync"));
    const refused = await say(url, "no", await ask());
    expect(endOf(refused)).toBe("completed");
    expect(calls(refused).join()).not.toContain("✅");
    const agreed = await say(url, "yes", await ask());
    expect(endOf(agreed)).toBe("completed");
    expect(calls(agreed).join()).toContain("✅ Tool completed: application_service__sync");
  });

  it("serves the offline model in the OpenAI format on the main port (S0.3)", async () => {
    const response = await fetch(`${await server.url()}/offline-model/v1/chat/completions`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ model: "offline", messages: [{ role: "user", content: "What's 2+2?" }] }),
    });
    expect(response.status).toBe(200);
    expect(JSON.parse(await response.text()).choices[0].message.role).toBe("assistant");
  });
});
