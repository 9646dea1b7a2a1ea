import type { SessionEvent } from "@parley/sessions";
import { describe, expect, it } from "vitest";
import { type AiChat, textOf } from "./testing/ai-chat.ts";
import { completes, says, scriptedChats, sessionOf } from "./testing/scripted-chats.ts";

const { url, chatAt, stateOf, contents, bringsTo, underWay, answered, ask, chatOf, stopped, posted, rest } =
  scriptedChats();

describe("a conversation that branches", () => {
  it("gets a new answer in a fork when regenerated, and continues there", async () => {
    const chat = await chatOf(["one"]);
    const [, first] = chat.messages;
    await answered(chat, chat.regenerate(), "ONE!");
    const session = sessionOf(chat);
    expect(session).toMatch(new RegExp(`^${chat.id}\\.`));
    expect(chat.messages.map(({ id }) => id)).not.toContain(first?.id);
    await ask(chat, "two", "TWO");
    expect(sessionOf(chat)).toBe(session);
    expect(await contents(session)).toEqual(["one", "ONE!", "two", "TWO"]);
    // The first answer is unchanged.
    expect(await contents(chat.id)).toEqual(["one", "ONE"]);
    await chat.resumeStream();
    expect(chat.messages.map(textOf)).toEqual(["one", "ONE!", "two", "TWO"]);
  });

  it("continues in a fork when edited, even if the client lost its metadata", async () => {
    const chat = await chatOf(["one", "two"]);
    const messageId = chat.messages[2]?.id ?? "";
    await answered(chat, chat.sendMessage({ text: "zwei", messageId }), "ZWEI");
    const session = sessionOf(chat);
    expect(session).not.toBe(chat.id);
    // Without metadata, message ids identify the session.
    const messages = chat.messages.map(({ metadata: _, ...message }) => message);
    const other = chatAt({ id: chat.id, messages });
    await ask(other, "three", "THREE");
    expect(sessionOf(other)).toBe(session);
    expect(await contents(session)).toEqual(["one", "ONE", "zwei", "ZWEI", "three", "THREE"]);
    expect(await contents(chat.id)).toEqual(["one", "ONE", "two", "TWO"]);
    // The original is unchanged, even after the fork continued.
    await other.sendMessage({ text: "two", messageId });
    expect([textOf(other.last), sessionOf(other)]).toEqual(["TWO", chat.id]);
  });

  it("replays the run of a repeated request, and forks when the client dropped a message", async () => {
    const chat = await chatOf(["one"]);
    const asked = chat.messages.slice(0, 1);
    const again = chatAt({ id: chat.id, messages: asked });
    await again.sendMessage({ text: "one", messageId: asked[0]?.id ?? "" });
    expect(again.messages.map(({ id }) => id)).toEqual(chat.messages.map(({ id }) => id));
    expect((await stateOf(chat.id)).runs.size).toBe(1);
    const forgetful = chatAt({ id: chat.id });
    await ask(forgetful, "two", "TWO");
    expect(await contents(sessionOf(forgetful))).toEqual(["two", "TWO"]);
  });

  it("keeps its run when the client disconnects, until the client cancels it", async () => {
    const { chat, runId } = await stopped("Working");
    expect([chat.status, chat.error]).toEqual(["ready", undefined]);
    expect((await stateOf(chat.id)).runs.get(runId)?.status).toBe("running");
    // Regenerating an active answer joins its run.
    const again = chat.regenerate();
    await expect.poll(() => textOf(chat.last)).toBe("Working");
    const address = `${url()}/ai/supervisor/${chat.id}/stream`;
    expect((await fetch(address, { method: "DELETE" })).status).toBe(204);
    await again;
    expect(chat.last.metadata).toMatchObject({ status: "cancelled", session: chat.id });
    expect(await contents(chat.id)).toEqual(["one", "Working"]);
    expect((await fetch(address, { method: "DELETE" })).status).toBe(204);
  });

  it("reports a failure with the partial text, and continues with the next message", async () => {
    const chat = chatAt();
    const sent = chat.sendMessage({ text: "one" });
    const { runId, brings } = await underWay(chat);
    const end = { ...completes(runId, "So far"), state: "failed", reason: "It broke" } as SessionEvent;
    await brings([says(runId, "So far"), end]);
    await sent;
    expect([chat.status, chat.error?.message]).toEqual(["error", "It broke"]);
    expect([textOf(chat.last), chat.last.metadata?.status]).toEqual(["So far", "failed"]);
    await ask(chat, "two", "TWO");
    expect(await contents(chat.id)).toEqual(["one", "So far", "two", "TWO"]);
  });
});

describe("a client that sends only part of its history", () => {
  it("continues in the session when it sends only its last message, and edits and answers there", async () => {
    const chat = chatAt({
      prepare: ({ id, messages, trigger }) => ({ body: { id, trigger, message: messages.at(-1) } }),
    });
    await ask(chat, "one", "ONE");
    await ask(chat, "two", "TWO");
    expect(await contents(chat.id)).toEqual(["one", "ONE", "two", "TWO"]);
    await answered(chat, chat.regenerate(), "TWO!");
    await ask(chat, "three", "THREE");
    const messageId = chat.messages[2]?.id ?? "";
    await answered(chat, chat.sendMessage({ text: "zwei", messageId }), "ZWEI");
    await ask(chat, "drei", "DREI");
    expect(await contents(sessionOf(chat))).toEqual(["one", "ONE", "zwei", "ZWEI", "drei", "DREI"]);
    expect(await contents(chat.id)).toEqual(["one", "ONE", "two", "TWO"]);
    // A repeated request is the same run.
    const again = await posted({ id: chat.id, message: chat.messages.at(-2) });
    expect(await again.text()).toContain("DREI");
  });

  it("continues in the session when it sends the tail of a conversation, and in a fork when it sends a middle part", async () => {
    const chat = await chatOf(["one", "two", "three"]);
    const recent = { id: chat.id, messages: chat.messages.slice(2) };
    const late = chatAt(recent);
    await ask(late, "four", "FOUR");
    expect(sessionOf(late)).toBe(chat.id);
    const other = chatAt({ ...recent, messages: chat.messages.slice(2, 4) });
    await ask(other, "drei", "DREI");
    expect(await contents(sessionOf(other))).toEqual(["one", "ONE", "two", "TWO", "drei", "DREI"]);
  });

  it("gets a fork with exactly its messages when it omits some in between", async () => {
    const chat = await chatOf(["one", "two", "three"]);
    const [one, answer, , , ...rest] = chat.messages;
    const messages = [one, answer, ...rest].flatMap((message) => (message ? [message] : []));
    const other = chatAt({ id: chat.id, messages });
    await ask(other, "four", "FOUR");
    expect(await contents(sessionOf(other))).toEqual(["one", "ONE", "three", "THREE", "four", "FOUR"]);
    await answered(other, other.regenerate({ messageId: other.messages[3]?.id ?? "" }), "THREE!");
    expect(await contents(sessionOf(other))).toEqual(["one", "ONE", "three", "THREE!"]);
  });

  it("continues from its position after a reload that resumed only the last answer", async () => {
    const chat = await chatOf(["one"]);
    const later = chatAt({ id: chat.id });
    await later.resumeStream();
    await ask(later, "two", "TWO");
    expect(await contents(chat.id)).toEqual(["one", "ONE", "two", "TWO"]);
  });
});

describe("a message sent while a run is active", () => {
  it("gets one answer when it arrives too late, whenever it is sent, and a fork of it continues as one conversation", async () => {
    const { chat, runId, brings } = await stopped("First");
    const sent = chat.sendMessage({ text: "two" });
    await expect.poll(() => contents(chat.id)).toEqual(["one", "two"]);
    const next = `${runId}-then`;
    const started = { agent: "supervisor", agentUrl: "u", contextId: next, inputSnapshotHash: "h" };
    await brings([
      completes(runId, "First"),
      { type: "agent_start", runId: next, messageId: chat.messages[2]?.id ?? "", ...started },
    ]);
    await bringsTo(chat.id, next, [says(next, "Second")]);
    await expect.poll(() => textOf(chat.last)).toBe("Second");
    await chat.stop();
    await sent;
    await bringsTo(chat.id, next, [says(next, ", and last"), completes(next, "Second, and last")]);
    await chat.resumeStream();
    expect(chat.messages.map(textOf)).toEqual(["one", "First", "two", "Second, and last"]);
    await ask(chat, "three", "THREE");
    expect(sessionOf(chat)).toBe(chat.id);
    await answered(chat, chat.regenerate(), "THREE!");
    const fork = sessionOf(chat);
    await ask(chat, "four", "FOUR");
    expect(sessionOf(chat)).toBe(fork);
    expect(await contents(fork)).toEqual([
      ...["one", "two", "First", "Second, and last", "three", "THREE!", "four", "FOUR"],
    ]);
  });

  it("is included after the messages before it when the answer is regenerated", async () => {
    const { chat, runId, brings } = await stopped("First");
    const sent = chat.sendMessage({ text: "two" });
    await expect.poll(() => contents(chat.id)).toEqual(["one", "two"]);
    await brings([says(runId, ", both"), completes(runId, "First, both")]);
    await sent;
    await answered(chat, chat.regenerate(), "Both");
    expect(await contents(sessionOf(chat))).toEqual(["one", "two", "Both"]);
    await ask(chat, "three", "THREE");
    expect((await contents(sessionOf(chat))).slice(-2)).toEqual(["three", "THREE"]);
  });

  it("reaches the run from a reloaded page that has only that answer", async () => {
    const { chat, runId, brings } = await stopped("First");
    const later = chatAt({ id: chat.id });
    const resumed = later.resumeStream();
    await expect.poll(() => later.messages.map(textOf)).toEqual(["First"]);
    await later.stop();
    await resumed;
    const sent = later.sendMessage({ text: "two" });
    await expect.poll(() => contents(chat.id)).toEqual(["one", "two"]);
    await brings([completes(runId, "First")]);
    await sent;
    expect([textOf(later.last), sessionOf(later)]).toEqual(["First", chat.id]);
  });

  it("goes to the active agent, and X-Parley-Unused reports another requested agent", async () => {
    const { chat, runId, brings } = await stopped("First");
    const unused: (string | null)[] = [];
    const spying: typeof fetch = async (...asked) => {
      const response = await fetch(...asked);
      unused.push(response.headers.get("x-parley-unused"));
      return response;
    };
    const other = chatAt({ id: chat.id, messages: chat.messages, fetch: spying }, "/ai/writer");
    const sent = other.sendMessage({ text: "two" });
    await expect.poll(() => unused).toEqual(["agent"]);
    await brings([completes(runId, "First")]);
    await sent;
    expect([textOf(other.last), other.last.metadata?.agent]).toEqual(["First", "supervisor"]);
    await ask(other, "three", "THREE");
    expect([unused.at(-1), other.last.metadata?.agent]).toEqual([null, "writer"]);
  });

  it("becomes part of the answer when another user sent it, without a fork", async () => {
    const { chat, runId, brings } = await stopped("O");
    const { status } = await rest("POST", `/api/v1/sessions/${chat.id}/messages`, { content: "And?" });
    expect(status).toBe(202);
    const resumed = chat.resumeStream();
    await brings([says(runId, "NE"), completes(runId, "ONE")]);
    await resumed;
    expect(chat.messages.map(textOf)).toEqual(["one", "ONE"]);
    expect(chat.last.parts).toContainEqual(expect.objectContaining({ type: "steering-message" }));
    await ask(chat, "two", "TWO");
    expect(await contents(chat.id)).toEqual(["one", "And?", "ONE", "two", "TWO"]);
  });
});

describe("a conversation imported from another application", () => {
  it("is recorded as sent, greeting included, and a copy of it is a fork", async () => {
    const greeting = {
      id: "greeting",
      role: "assistant",
      parts: [{ type: "text", text: "Hello!" }],
    } as const;
    const chat = chatAt({ messages: [{ ...greeting, parts: [...greeting.parts] }] });
    await ask(chat, "one", "ONE");
    await ask(chat, "two", "TWO");
    expect(await contents(chat.id)).toEqual(["Hello!", "one", "ONE", "two", "TWO"]);
    const copy = chatAt({ messages: chat.messages });
    await ask(copy, "three", "THREE");
    expect(await contents(copy.id)).toEqual(copy.messages.map(textOf));
    expect((await stateOf(copy.id)).parent?.sessionId).toBe(chat.id);
    await rest("DELETE", `/api/v1/sessions/${chat.id}`);
    const late = chatAt({ messages: chat.messages });
    await ask(late, "three", "THREE");
    expect(await contents(late.id)).toEqual(late.messages.map(textOf));
  });

  const before = [
    { id: "m1", role: "user", parts: [{ type: "text", text: "one" }] },
    {
      ...{ id: "m2", role: "assistant" },
      parts: [
        { type: "reasoning", text: "Hm" },
        {
          ...{ type: "tool-other", toolCallId: "c", state: "approval-responded", input: {} },
          approval: { id: "theirs", approved: true },
        },
        { type: "text", text: "x".repeat(600_000) },
      ],
    },
  ] as AiChat["messages"];

  it("continues regardless of the length of its answers and of the questions in it", async () => {
    const chat = chatAt({ messages: before });
    await ask(chat, "two", "TWO");
    await ask(chat, "three", "THREE");
    expect(await contents(chat.id)).toEqual(chat.messages.map(textOf));
  });

  it("creates no session when its agent does not exist", async () => {
    const chat = chatAt({ messages: before }, "/ai/nobody");
    await chat.sendMessage({ text: "two" });
    expect(chat.error).toMatchObject({ statusCode: 404 });
    await expect(stateOf(chat.id)).rejects.toThrow("no session");
    const there = chatAt({ id: chat.id, messages: before });
    await ask(there, "two", "TWO");
  });
});
