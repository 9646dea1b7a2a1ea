import { createHash } from "node:crypto";
import {
  approvalAnswer,
  approvalRequest,
  budget,
  type ExecutionContext,
  type Message,
  memberIn,
  memberPart,
} from "@parley/a2a";
import { expect, it } from "vitest";
import { DirectAgents } from "./testing/direct-agents.ts";
import { startAgent, startGateway } from "./testing/gateway.ts";
import { joinedAnswer } from "./testing/joined-answer.ts";

const textOf = ({ parts }: Message) => parts.map(({ text = "" }) => text).join("");

it("an agent that does not speak our extension gets the transcript as text, and is polled where it has no streams (S4.8, S4.33)", async () => {
  const heard: Message[] = [];
  const agent = await startAgent({
    ...{ speaksExtension: false, streaming: false },
    executor: {
      async execute(context) {
        heard.push(context.message);
        await context.artifact().close([{ text: `Answer ${heard.length}` }]);
        return undefined;
      },
    },
  });
  const { sessions } = await startGateway();
  await sessions.ended("s1", await sessions.ask("s1", "First", agent));
  const state = await sessions.ended("s1", await sessions.ask("s1", "Second", agent));
  expect(state.messages.map(({ content }) => content)).toEqual(["First", "Answer 1", "Second", "Answer 2"]);
  const [, second] = heard;
  expect(second && textOf(second)).toContain(
    "User: First\n\nAssistant (agent): Answer 1\n\nWhat the user says now:",
  );
  expect(second?.parts.at(-1)).toEqual({ text: "Second" });
});

it("files of the user travel as parts, and large ones of the agent are kept as blobs (S4.8, S4.9)", async () => {
  const content = Buffer.alloc(700_000, 7);
  let heard: Message | undefined;
  const agent = await startAgent({
    executor: {
      async execute(context) {
        heard = context.message;
        const raw = content.toString("base64");
        await context
          .artifact({ name: "report" })
          .part({ raw, filename: "big.bin", mediaType: "application/x" });
        return undefined;
      },
    },
  });
  const kept: unknown[] = [];
  const { sessions, journal } = await startGateway({
    keepFile: async ({ owner }, file) => void kept.push({ owner, ...file }),
  });
  const stored = await journal.blobs.put(Buffer.from("hello"), "text/plain");
  await sessions.execute("s1", { type: "create", workspace: "w", owner: "ann" });
  await sessions.execute("s1", {
    ...{ type: "postMessage", messageId: "m1", content: "See" },
    files: [{ name: "a.txt", mediaType: "text/plain", size: 5, blob: stored.hash }],
    run: { runId: "r1", agent: "agent", agentUrl: agent.url, contextId: "r1" },
  });
  await sessions.ended("s1", "r1");
  expect(heard?.parts[1]).toEqual({ raw: "aGVsbG8=", filename: "a.txt", mediaType: "text/plain" });
  const [artifact] = (await sessions.events("s1")).filter((event) => event.type === "agent_artifact");
  const blob = createHash("sha256").update(content).digest("hex");
  expect(artifact?.parts).toEqual([
    { filename: "big.bin", mediaType: "application/x", blob, size: content.byteLength },
  ]);
  expect(Buffer.from(await journal.blobs.get(blob)).equals(content)).toBe(true);
  expect(kept[0]).toEqual({
    owner: "ann",
    name: "big.bin",
    mediaType: "application/x",
    size: content.byteLength,
    blob,
  });
});

it("files that came with earlier messages are shown again, texts as they are and others by name (S4.8)", async () => {
  const heard: Message[] = [];
  const agent = await startAgent({
    speaksExtension: false,
    executor: {
      async execute(context) {
        heard.push(context.message);
        await context.artifact({ name: "current_result" }).text("Seen");
        return undefined;
      },
    },
  });
  const { sessions, journal } = await startGateway();
  const blobOf = async (text: string) => (await journal.blobs.put(Buffer.from(text), "text/plain")).hash;
  await sessions.execute("s1", { type: "create", workspace: "w", owner: "ann" });
  await sessions.execute("s1", {
    ...{ type: "postMessage", messageId: "m1", content: "Keep these" },
    files: [
      { name: "code.txt", mediaType: "text/plain", size: 6, blob: await blobOf("mellon") },
      { name: "cat.png", mediaType: "image/png", size: 9, blob: await blobOf("no image!") },
    ],
    run: { runId: "r1", agent: "agent", agentUrl: agent.url, contextId: "r1" },
  });
  await sessions.ended("s1", "r1");
  await sessions.ended("s1", await sessions.ask("s1", "What is the code?", agent));
  const [, second] = heard;
  expect(second && textOf(second)).toContain(
    "User: Keep these\n[code.txt, text/plain, 6 bytes]:\n```\nmellon\n```\n[cat.png, image/png, 9 bytes]\n\nAssistant",
  );
});

it("a message to a run that is under way reaches its task (S4.26)", async () => {
  const agent = await startAgent({
    executor: {
      async execute(context) {
        const artifact = context.artifact({ name: "current_result" });
        await artifact.text("Waiting. ");
        const next = await context.nextMessage();
        await artifact.close([{ text: `Heard: ${next && textOf(next)}` }]);
        return undefined;
      },
    },
  });
  const { sessions } = await startGateway();
  const runId = await sessions.ask("s1", "Begin", agent);
  await sessions.until("s1", ({ runs }) => (runs.get(runId)?.texts.size ?? 0) > 0);
  await sessions.ask("s1", "And more", agent);
  const state = await sessions.ended("s1", runId);
  expect(state.messages.map(({ content }) => content)).toEqual([
    "Begin",
    "And more",
    "Waiting. Heard: And more",
  ]);
  expect(state.runs.size).toBe(1);
});

it("a message that came too late for a run is answered by another run", async () => {
  const agent = await startAgent({
    executor: {
      async execute(context: ExecutionContext) {
        await context.artifact().close([{ text: `To ${textOf(context.message)}` }]);
        return undefined;
      },
    },
  });
  const { sessions, runner } = await startGateway();
  // The agent ends before the message comes, and the end is recorded after it.
  const session = sessions.session("s1");
  const append = session.append.bind(session);
  session.append = async (lease, runId, events, frames) => {
    if (typeof events === "function" && runId === "s1-r1")
      await session.carryOut({ ...late, run: { runId: "x", agent: "a", agentUrl: "u", contextId: "x" } });
    return append(lease, runId, events, frames);
  };
  const late = { type: "postMessage", messageId: "late", content: "late" } as const;
  await sessions.ask("s1", "first", agent);
  const state = await sessions.ended("s1", "s1-r1-then");
  await runner.idle();
  expect(state.messages.map(({ content }) => content)).toEqual(["first", "late", "To first", "To late"]);
});

it("a plain question becomes one of the inbox, and a message in the conversation answers it (+7)", async () => {
  const agent = await startAgent({
    executor: {
      async execute(context) {
        if ((context.task.history?.length ?? 0) < 2)
          return { state: "input-required", message: "Which colour?" };
        await context.artifact().close([{ text: `${textOf(context.message)} it is` }]);
        return undefined;
      },
    },
  });
  const { sessions } = await startGateway();
  const runId = await sessions.ask("s1", "Buy a mug", agent);
  await sessions.until("s1", ({ approvals }) => approvals.size > 0);
  await sessions.ask("s1", "Blue", agent);
  const state = await sessions.ended("s1", runId);
  const [approval] = state.approvals.values();
  expect(approval).toMatchObject({
    question: "Which colour?",
    answer: { decision: "answered", text: "Blue" },
  });
  expect(state.messages.at(-1)?.content).toBe("Blue it is");
  expect(joinedAnswer(await sessions.events("s1"))).toBe("Blue it is");
});

it("an approval that is asked for while the agent works is answered while it works (+7)", async () => {
  const request = { id: "call-1", tool: "pay", arguments: {}, argumentsHash: "hash" };
  const agent = await startAgent({
    executor: {
      async execute(context) {
        await context.working([{ text: "May I?" }, memberPart(approvalRequest, request)]);
        const answer = await context.nextMessage();
        const { decision } = memberIn(answer?.metadata, approvalAnswer).value ?? {};
        await context.artifact().close([{ text: `It is ${decision}` }]);
        return undefined;
      },
    },
  });
  const { sessions } = await startGateway();
  const runId = await sessions.ask("s1", "Pay", agent);
  const { approvals } = await sessions.until("s1", (state) => state.approvals.size > 0);
  const [approvalId = ""] = approvals.keys();
  await sessions.execute("s1", { type: "answerApproval", approvalId, decision: "denied" });
  expect((await sessions.ended("s1", runId)).messages.at(-1)?.content).toBe("It is denied");
});

it("a tool that the session allows always is not asked about again, and the record says so; another agent's is, and one that no agent is named for (+7)", async () => {
  const request = { id: "call-1", tool: "pay", arguments: { amount: 3 }, argumentsHash: "hash" };
  const asked = [{ text: "May I?" }, memberPart(approvalRequest, request)];
  const agent = await startAgent({
    executor: {
      async execute(context) {
        if ((context.task.history?.length ?? 0) < 2) return { state: "input-required", message: asked };
        const { decision, argumentsHash } = memberIn(context.message.metadata, approvalAnswer).value ?? {};
        await context.artifact().close([{ text: `It is ${decision} for ${argumentsHash}` }]);
        return undefined;
      },
    },
  });
  const { sessions } = await startGateway();
  await sessions.execute("s1", { type: "create", workspace: "w", owner: "ann" });
  const configure = (allowedTools: unknown) =>
    sessions.execute("s1", { type: "configure", config: { allowedTools } });
  await configure([{ agent: "agent", tool: "pay" }]);
  const { messages, approvals } = await sessions.ended("s1", await sessions.ask("s1", "Pay", agent));
  expect(messages.at(-1)?.content).toBe("It is approved for hash");
  expect([...approvals.values()].map(({ answer }) => answer)).toMatchObject([
    { decision: "approved", always: true },
  ]);
  const payment = { agent: "agent", tool: "payment" };
  for (const others of [[{ tool: "pay", agent: "other" }], [payment], [{ tool: "pay" }], "everything"]) {
    await configure(others);
    const runId = await sessions.ask("s1", "Pay again", agent);
    await sessions.until("s1", ({ runs }) => runs.get(runId)?.status === "waiting");
    await sessions.execute("s1", { type: "cancelRun", runId });
  }
});

it("an answer to an agent that has given up meanwhile ends the run as the agent did, with its reason (+7, invariant 6)", async () => {
  const agent = await startAgent({
    executor: { execute: async () => ({ state: "input-required", message: "Which?" }) },
  });
  const { sessions, runner } = await startGateway();
  const runId = await sessions.ask("s1", "Buy", agent);
  const { approvals } = await sessions.until("s1", (state) => state.approvals.size > 0);
  await runner.idle();
  const client = await new DirectAgents().clientFor({ agent: "agent", agentUrl: agent.url });
  const { tasks } = await client.list({ contextId: runId });
  await client.cancel({ id: tasks[0]?.id ?? "" });
  const [approvalId = ""] = approvals.keys();
  await sessions.execute("s1", { type: "answerApproval", approvalId, decision: "answered", text: "Blue" });
  const state = await sessions.ended("s1", runId);
  expect(state.runs.get(runId)).toMatchObject({ status: "failed", reason: "agent canceled it" });
});

it("a session's budget goes with the message of each run, for the agent and all that it hands down (+5)", async () => {
  const heard: (Message["metadata"] | undefined)[] = [];
  const agent = await startAgent({
    executor: {
      async execute({ message }) {
        heard.push(message.metadata);
        return undefined;
      },
    },
  });
  const { sessions } = await startGateway();
  await sessions.execute("s1", { type: "create", workspace: "w", owner: "ann" });
  const limits = { tokens: 5_000, timeMs: 60_000, depth: 1 };
  for (const config of [{}, { budget: limits, mine: "kept" }, { budget: "a lot" }]) {
    await sessions.execute("s1", { type: "configure", config });
    await sessions.ended("s1", await sessions.ask("s1", "Go", agent));
  }
  expect(heard.map((metadata) => memberIn(metadata, budget).value)).toEqual([undefined, limits, undefined]);
});

it("a run is asked with as much of a long history as a request may carry, however its text is escaped, and with half a character (S4.8)", async () => {
  const heard: Message[] = [];
  const agent = await startAgent({
    executor: {
      async execute(context) {
        heard.push(context.message);
        await context.artifact().close([{ text: "\u0001".repeat(100_000) }]);
        return undefined;
      },
    },
  });
  const { sessions } = await startGateway();
  for (const text of ["\u0002".repeat(60_000), "Half \ud83d", "And then?"]) {
    const state = await sessions.ended("s1", await sessions.ask("s1", text, agent));
    expect([...state.runs.values()].map(({ status }) => status)).not.toContain("failed");
  }
  expect(heard).toHaveLength(3);
  expect(Math.max(...heard.map((message) => Buffer.byteLength(JSON.stringify(message))))).toBeLessThan(
    1_000_000,
  );
});
