import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentCapabilities } from "@ag-ui/client";
import { STARTER_PROMPTS } from "@parley/web/starter-prompts";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Peer } from "../peers/index.ts";
import {
  startAskingPeer,
  startEndlessPeer,
  startFailingPeer,
  startScriptedPeer,
  startSlowPeer,
} from "../peers/index.ts";
import { ApiClient } from "../sessions/testing/api-client.ts";
import { type PlatformProcess, startPlatformProcess } from "../supervisor/testing/platform-process.ts";
import { AgUiClient, ofType } from "./testing/ag-ui-client.ts";

let platform: PlatformProcess;
let api: ApiClient;
let peers: Readonly<Record<string, Peer>>;
beforeAll(async () => {
  platform = await startPlatformProcess();
  api = new ApiClient(platform.url);
  peers = {
    slow: await startSlowPeer({ pause: 25 }),
    asking: await startAskingPeer(),
    endless: await startEndlessPeer(),
    failing: await startFailingPeer(),
    restless: await startScriptedPeer({
      steps: (say) => [
        say.status("WORKING"),
        say.piece("The first try", { append: false }),
        say.piece("The second", { append: false }),
        say.piece(" try holds", { append: true }),
        say.status("COMPLETED"),
      ],
    }),
  };
  for (const [name, { url }] of Object.entries(peers)) await api.call("POST", "/agents", { name, url });
}, 180_000);
afterAll(async () => {
  await platform.stop();
  for (const peer of Object.values(peers)) await peer.stop();
});

const client = (agent?: string, threadId?: string) =>
  new AgUiClient(`${platform.url}/agui${agent === undefined ? "" : `/${agent}`}`, {
    ...(threadId !== undefined && { threadId }),
  });

/** The recorded answer of the session's last run. */
async function recorded(sessionId: string): Promise<string> {
  const { messages } = await api.ended(sessionId);
  return messages.at(-1)?.content ?? "";
}

/** The session, once its agent has sent text. */
async function begun(sessionId: string) {
  const status = async () => (await fetch(`${platform.url}/api/v1/sessions/${sessionId}`)).status;
  await expect.poll(status).toBe(200);
  return api.until(sessionId, ({ events }) => events.some(({ type }) => type === "agent_token"));
}

const longTimeout = { timeout: 180_000 };

describe("a run", longTimeout, () => {
  it("streams the exact answer, the plan as state, and each sub-agent's activity", async () => {
    const one = client();
    const { events, outcome } = await one.say(STARTER_PROMPTS.investigate);
    expect(outcome).toBe("success");
    expect(one.answer).toBe(await recorded(one.threadId));
    const { events: log } = await api.read(one.threadId);
    const { steps } = log.findLast(({ type }) => type === "agent_plan")?.payload ?? {};
    expect(steps).toHaveLength(2);
    expect(one.agent.state).toMatchObject({ plan: steps });
    expect(ofType(events, "STATE_DELTA").length).toBeGreaterThan(2);
    const agents = ofType(events, "SUBAGENT_STARTED");
    expect(agents.map(({ name }) => name).toSorted()).toEqual(["argocd", "git"]);
    const git = agents.find(({ name }) => name === "git")?.subagentRunId;
    const calls = ofType(events, "TOOL_CALL_START");
    expect(calls.find(({ toolCallName }) => toolCallName === "git__log")?.subagentRunId).toBe(git);
    expect(
      one.agent.messages.find(
        (message) => message.role === "assistant" && message.subagentRunId === git && message.content,
      ),
    ).toMatchObject({ name: "git" });
    expect(ofType(events, "STEP_STARTED").length).toBe(ofType(events, "STEP_FINISHED").length);
    expect(ofType(events, "MESSAGES_SNAPSHOT")).toEqual([]);
  });

  it("continues in its thread and sends the client nothing twice", async () => {
    const one = client("slow");
    await one.say("One");
    const { events } = await one.say("Two");
    expect(ofType(events, "MESSAGES_SNAPSHOT")).toEqual([]);
    const { messages } = await api.ended(one.threadId);
    expect(one.said).toEqual(messages.map(({ role, content }) => `${role}: ${content}`));
    expect(one.agent.messages.map(({ id }) => id)).toEqual(messages.map(({ id }) => id));
  });

  it("ends with RUN_ERROR when it fails, and keeps its text", async () => {
    const one = client("failing");
    const { outcome, events } = await one.say("Go");
    expect(outcome).toBe("error");
    expect(ofType(events, "RUN_ERROR")).toMatchObject([
      { code: "run_failed", message: expect.stringContaining("fire") },
    ]);
    expect(one.answer).toBe(await recorded(one.threadId));
    expect(one.answer).toContain("Half of the ans");
  });

  it("notifies the client when the agent retracts text", async () => {
    const one = client("restless");
    await one.say("Go");
    expect(one.answer).toBe("The second try holds");
    expect(one.answer).toBe(await recorded(one.threadId));
  });

  it("ends as cancelled when it is cancelled elsewhere", async () => {
    const one = client("endless");
    const running = one.say("Go");
    const { events } = await begun(one.threadId);
    const runId = events.find(({ type }) => type === "agent_start")?.payload.runId;
    await api.call("POST", `/sessions/${one.threadId}/runs/${runId}/cancel`, {});
    expect((await running).outcome).toBe("cancelled");
    expect(one.answer).toBe(await recorded(one.threadId));
  });
});

describe("an interrupt", longTimeout, () => {
  it("carries a schema, and resuming with edited arguments calls the tool with only those", async () => {
    const one = client();
    const { outcome, interrupts } = await one.say(STARTER_PROMPTS.approve);
    expect(outcome).toBe("interrupt");
    expect(interrupts).toMatchObject([
      {
        ...{ reason: "tool_call", responseSchema: { required: ["approved"] } },
        metadata: { parley: { tool: "files__write_file", agent: "files" } },
      },
    ]);
    const editedArgs = { path: "order.txt", content: "Order 21 green mugs" };
    const resumed = await one.resume({ approved: true, editedArgs });
    expect(resumed.outcome).toBe("success");
    expect(await readFile(join(platform.demoFolder, "order.txt"), "utf8")).toBe("Order 21 green mugs");
    expect(one.answer).toBe(await recorded(one.threadId));
    expect(ofType(resumed.events, "MESSAGES_SNAPSHOT")).toEqual([]);
    expect(await api.runs(one.threadId)).toHaveLength(1);
  });

  it.each([
    ["denied", "resolved", { approved: false, text: "Not today" }],
    ["closed", "cancelled", undefined],
  ] as const)("that is %s executes nothing, and the run continues", async (_, status, payload) => {
    const one = client();
    await one.say('Write "Order 1 mug" to the file never.txt');
    const { outcome } = await one.resume(payload, status);
    expect(outcome).toBe("success");
    await expect(readFile(join(platform.demoFolder, "never.txt"))).rejects.toThrow("ENOENT");
    expect(one.answer).toBe(await recorded(one.threadId));
  });

  it("accepts text as the answer to a question, and repeating the resume returns the same run", async () => {
    const one = client("asking");
    const { interrupts } = await one.say("Go");
    expect(interrupts).toMatchObject([{ reason: "input_required", message: "Which one?" }]);
    const resume = interrupts.map(({ id }) => ({
      interruptId: id,
      status: "resolved" as const,
      payload: { text: "The blue one" },
    }));
    const runId = randomUUID();
    await one.run({ resume, runId });
    expect(one.answer).toBe("You said: The blue one");
    await one.run({ resume, runId });
    expect(one.answer).toBe("You said: The blue one");
    expect(await api.runs(one.threadId)).toHaveLength(1);
  });

  it("continues with another user's answer and reports it", async () => {
    const one = client("asking");
    const { interrupts } = await one.say("Go");
    const answer = { decision: "answered", text: "The red one" };
    await api.call("POST", `/sessions/${one.threadId}/approvals/${interrupts[0]?.id}`, answer);
    const { events } = await one.resume({ text: "The blue one" });
    expect(ofType(events, "CUSTOM")).toMatchObject([
      { name: "parley.answered", value: { text: "The red one" } },
    ]);
    expect(one.answer).toBe("You said: The red one");
  });
});

describe("a disconnected client", longTimeout, () => {
  it("retries under the same ids and gets the same run and text", async () => {
    const one = client("slow");
    one.agent.addMessage({ id: randomUUID(), role: "user", content: "Go" });
    const runId = randomUUID();
    let tokens = 0;
    await one.run({ runId }, ({ type }) => type === "TEXT_MESSAGE_CONTENT" && ++tokens === 4);
    expect(one.answer).not.toBe("");
    const { outcome } = await one.run({ runId });
    expect(outcome).toBe("success");
    expect(one.answer).toBe(await recorded(one.threadId));
    expect(await api.runs(one.threadId)).toHaveLength(1);
  });

  it("does not affect the run, which another client can join by thread id", async () => {
    const one = client("slow");
    one.agent.addMessage({ id: randomUUID(), role: "user", content: "Go" });
    await one.run({}, ({ type }) => type === "TEXT_MESSAGE_CONTENT");
    const other = client("slow", one.threadId);
    const { outcome, events } = await other.run();
    expect(outcome).toBe("success");
    expect(ofType(events, "TEXT_MESSAGE_CONTENT").length).toBeGreaterThan(1);
    expect(other.said).toEqual(["user: Go", `assistant: ${await recorded(one.threadId)}`]);
    expect(await api.runs(one.threadId)).toHaveLength(1);
    const late = client("slow", one.threadId);
    await late.run();
    expect(late.said).toEqual(other.said);
  });
});

describe("a thread", longTimeout, () => {
  it("is replayed in order to a client without history when it was started elsewhere", async () => {
    const id = await api.create({ agent: "slow" });
    await api.post(id, "One");
    await api.ended(id);
    const one = client("slow", id);
    await one.say("Two");
    const { messages } = await api.ended(id);
    expect(one.said).toEqual(messages.map(({ role, content }) => `${role}: ${content}`));
    expect(messages).toHaveLength(4);
  });

  it("is forked when its history was edited, and the client continues under the same thread id", async () => {
    const one = client("slow");
    await one.say("One");
    await one.say("Two");
    one.agent.setMessages(one.agent.messages.slice(0, 2));
    const { events } = await one.say("Two, but other");
    const [fork] = ofType(events, "CUSTOM");
    expect(fork).toMatchObject({
      name: "parley.session",
      value: { threadId: one.threadId, forkOf: one.threadId },
    });
    const sessionId: string = fork?.value.sessionId;
    expect(one.headers.get("x-session-id")).toBe(sessionId);
    await one.say("Three");
    const { messages } = await api.ended(sessionId);
    expect(messages.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual([
      "One",
      "Two, but other",
      "Three",
    ]);
    expect(one.said).toEqual(messages.map(({ role, content }) => `${role}: ${content}`));
    expect((await api.ended(one.threadId)).messages).toHaveLength(4);
  });

  it("is answered again in a fork when it ends with an answered question", async () => {
    const one = client("slow");
    await one.say("One");
    const first = one.agent.messages.at(-1)?.id;
    one.agent.setMessages(one.agent.messages.slice(0, 1));
    await one.run();
    expect(one.agent.messages.at(-1)?.id).not.toBe(first);
    expect(one.headers.get("x-session-id")).not.toBe(one.threadId);
    expect(one.answer).toBe(await recorded(one.headers.get("x-session-id") ?? ""));
    await one.say("Two");
    expect(one.said).toHaveLength(4);
  });

  it("accepts a message during an active run, and both clients end with the same messages", async () => {
    const one = client("slow");
    const running = one.say("One");
    await begun(one.threadId);
    const other = client("slow", one.threadId);
    await other.say("And this");
    await running;
    await api.ended(one.threadId);
    const { messages } = await api.read(one.threadId);
    expect(other.said.toSorted()).toEqual(
      messages.map(({ role, content }) => `${role}: ${content}`).toSorted(),
    );
  });

  it("stores files sent as inline data", async () => {
    const one = client("slow");
    const source = { type: "data", value: Buffer.from("blue,3\n").toString("base64"), mimeType: "text/csv" };
    await one.say([
      { type: "text", text: "How many?" },
      { type: "document", source, metadata: { filename: "mugs.csv" } },
    ]);
    const { messages } = await api.ended(one.threadId);
    expect(messages[0]).toMatchObject({
      content: "How many?",
      metadata: { files: [{ name: "mugs.csv", mediaType: "text/csv", size: 7 }] },
    });
    const other = client("slow", one.threadId);
    await other.run();
    expect(other.agent.messages[0]).toMatchObject({
      content: [{ text: "How many?" }, { source: { type: "file", provider: "parley" } }],
    });
  });

  it("is empty when it does not exist", async () => {
    const one = client();
    expect((await one.run()).outcome).toBe("success");
    expect(one.agent.messages).toEqual([]);
    expect((await fetch(`${platform.url}/api/v1/sessions/${one.threadId}`)).status).toBe(404);
  });
});

describe("requests that AG-UI clients get wrong", longTimeout, () => {
  const input = (more: object = {}) => ({
    ...{ threadId: randomUUID(), runId: randomUUID(), tools: [], context: [] },
    ...{ messages: [{ id: randomUUID(), role: "user", content: "Go" }], ...more },
  });
  const post = (body: unknown, path = "/agui", headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${platform.url}${path}`, {
      ...{ method: "POST", headers: { "content-type": "application/json", ...headers } },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });

  it.each([
    ["an unknown agent", () => post(input(), "/agui/nobody"), 404, "not_found", "nobody"],
    ["a body that is not JSON", () => post("{"), 400, "malformed_request", "JSON"],
    ["a body that is too large", () => post("x".repeat(17 * 1_048_576)), 413, "too_large", "bytes"],
    ["a field that is missing", () => post({ ...input(), messages: undefined }), 422, "invalid", "messages"],
    [
      "a message without content",
      () => post(input({ messages: [{ id: randomUUID(), role: "user", content: " " }] })),
      422,
      "invalid",
      "messages.0.content",
    ],
    ["a thread without a name", () => post(input({ threadId: "" })), 422, "invalid", "threadId"],
    ["a later protocol", () => post(input({ protocolVersion: "2.0" })), 422, "invalid", "protocolVersion"],
    [
      "an unknown option",
      () => post(input({ forwardedProps: { parley: { temperature: 1 } } })),
      422,
      "invalid",
      "forwardedProps.parley",
    ],
    [
      "a file that would have to be fetched",
      () =>
        post(
          input({
            messages: [
              {
                id: randomUUID(),
                role: "user",
                content: [{ type: "image", source: { type: "url", value: "http://127.0.0.1/x.png" } }],
              },
            ],
          }),
        ),
      422,
      "invalid",
      "messages.0.content.0.source.value",
    ],
    [
      "an answer to an unknown interrupt",
      () => post(input({ resume: [{ interruptId: "none", status: "resolved", payload: true }] })),
      422,
      "invalid",
      "resume.0.interruptId",
    ],
    ["an unknown path", () => post(input(), "/agui/slow/more"), 404, "not_found", "/agui/slow/more"],
  ] as const)("%s is rejected with an AG-UI error", async (_, ask, status, code, said) => {
    const response = await ask();
    const body = (await response.json()) as { code: string; message: string };
    expect([response.status, body.code], body.message).toEqual([status, code]);
    expect(body).toMatchObject({ type: "RUN_ERROR", message: expect.stringContaining(said) });
    expect(response.headers.get("content-type")).toBe("application/json");
  });

  it("the client's error carries the status and payload of a rejection", async () => {
    const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
    onTestFinished(() => said.mockRestore());
    await expect(client("nobody").say("Go")).rejects.toMatchObject({
      status: 404,
      payload: { code: "not_found" },
    });
  });

  it("unused fields are reported, and the client's own state is kept", async () => {
    const one = client("slow");
    one.agent.setState({ theme: "dark" });
    const tools = [{ name: "paint", description: "Paints", parameters: {} }];
    await one.say("Go", {
      tools,
      context: [{ description: "Where", value: "Here" }],
      forwardedProps: { other: 1 },
    });
    expect(one.headers.get("x-parley-unused")).toBe("tools, context, state, forwardedProps");
    expect(one.agent.state).toMatchObject({ theme: "dark", plan: [] });
  });

  it("GET returns an agent's capabilities", async () => {
    const capabilities = (await (await fetch(`${platform.url}/agui`)).json()) as AgentCapabilities;
    expect(capabilities).toMatchObject({
      humanInTheLoop: { interrupts: true },
      tools: { clientProvided: false },
    });
    expect(capabilities.multiAgent?.subagents?.map(({ name }) => name)).toContain("git");
    expect((await fetch(`${platform.url}/agui/nobody`)).status).toBe(404);
  });
});
