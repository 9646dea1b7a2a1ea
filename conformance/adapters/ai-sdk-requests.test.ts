import type { SessionEvent } from "@parley/sessions";
import { describe, expect, it } from "vitest";
import { type AiChatOptions, textOf, toolsOf } from "./testing/ai-chat.ts";
import { completes, says, scriptedChats, sessionOf } from "./testing/scripted-chats.ts";

const { url, chatAt, stateOf, contents, bringsTo, underWay, answered, ask, chatOf, posted, rest, ends } =
  scriptedChats();

const asks = (runId: string): SessionEvent => ({
  ...{ type: "approval_requested", runId, approvalId: `${runId}-ask`, question: "May I?" },
  ...{ tool: "write", arguments: {} },
});

/** A chat whose run waits for a tool approval. */
async function waiting(options: AiChatOptions = {}) {
  const chat = chatAt(options);
  const sent = chat.sendMessage({ text: "Go" });
  const run = await underWay(chat);
  await run.brings([says(run.runId, "So far"), asks(run.runId)]);
  await sent;
  expect(chat.last.metadata?.status).toBe("waiting");
  return { chat, ...run };
}

const saying = (...parts: object[]) => ({
  ...{ id: crypto.randomUUID(), messages: [{ id: crypto.randomUUID(), role: "user", parts }] },
});

describe("a pending approval", () => {
  it.each<[string, AiChatOptions]>([
    ["with all messages", {}],
    ["alone", { prepare: ({ id, messages }) => ({ body: { id, message: messages.at(-1) } }) }],
  ])("answered %s, and again after a cut, continues with each word once", async (_, options) => {
    const { chat, runId, brings } = await waiting(options);
    await chat.addToolApprovalResponse({ id: `${runId}-ask`, approved: true });
    const cut = chat.sendMessage();
    await expect.poll(async () => (await stateOf(chat.id)).runs.get(runId)?.status).toBe("running");
    await brings([says(runId, " and on")]);
    await expect.poll(() => textOf(chat.last)).toBe("So far and on");
    await chat.stop();
    await cut;
    const again = chat.sendMessage();
    await brings([says(runId, "."), completes(runId, "So far and on.")]);
    await again;
    expect(textOf(chat.last)).toBe("So far and on.");
    expect(chat.messages).toHaveLength(2);
  });

  it("that has already ended rejects the late answer, reports it, and does not block later messages", async () => {
    const unused: (string | null)[] = [];
    const { chat, runId } = await waiting();
    const { status } = await fetch(`${url()}/ai/${chat.id}/stream`, { method: "DELETE" });
    expect(status).toBe(204);
    await chat.addToolApprovalResponse({ id: `${runId}-ask`, approved: true });
    await chat.sendMessage();
    expect(chat.error).toMatchObject({ statusCode: 409 });
    const late = chatAt({
      ...{ id: chat.id, messages: chat.messages },
      fetch: async (...asked) => {
        const response = await fetch(...asked);
        unused.push(response.headers.get("x-parley-unused"));
        return response;
      },
    });
    await ask(late, "Well then", "Then not");
    expect(unused).toEqual([encodeURIComponent(`approval ${runId}-ask`)]);
    expect(sessionOf(late)).toBe(chat.id);
  });

  it("answered with text keeps the tool part, whatever its outcome", async () => {
    const { chat, runId, brings } = await waiting();
    const sent = chat.sendMessage({ text: "Only this once" });
    await expect.poll(() => contents(chat.id)).toEqual(["Go", "Only this once"]);
    const call = { runId, callId: "c1" };
    await brings([
      ...[{ type: "approval_answered", runId, approvalId: `${runId}-ask`, decision: "answered" } as const],
      { type: "agent_tool_call", ...call, tool: "write", arguments: {} },
      { type: "agent_tool_result", ...call, outcome: "succeeded", result: "Written" },
      completes(runId, "So far"),
    ]);
    await sent;
    expect(toolsOf(chat.last)).toEqual([["write", "output-available"]]);
    expect(chat.last.parts).toContainEqual(expect.objectContaining({ output: "Written" }));
  });
});

describe("message content", () => {
  it.each(["a\r\nb\rc", "\u0000", "lone \ud800", "  around \n", "\ufeffbom\u2028", "👩‍👩‍👧"])(
    "text round-trips unchanged and is recognized in the next request: %j",
    async (text) => {
      const chat = chatAt();
      await ask(chat, `>${text}`, `re: ${text}`);
      await ask(chat, "next", "Next");
      expect(await contents(chat.id)).toEqual([`>${text}`, `re: ${text}`, "next", "Next"]);
    },
  );

  it("members named like prototype properties do not end the stream", async () => {
    const chat = chatAt();
    const sent = chat.sendMessage({ text: "Go" });
    const { runId, brings } = await underWay(chat);
    const call = { runId, callId: "c" };
    await brings([
      { type: "agent_tool_call", ...call, tool: "t", arguments: JSON.parse('{"__proto__":{"a":1}}') },
      {
        ...{ type: "agent_tool_result", ...call, outcome: "succeeded" },
        result: JSON.parse('[{"constructor":{"prototype":1}},{"constructor":"x"}]'),
      },
    ]);
    await answered(chat, sent, "Done");
    const [part] = chat.last.parts.flatMap((one) => (one.type === "dynamic-tool" ? [one] : []));
    expect(JSON.stringify([part?.input, part?.output])).toBe(
      '[{"(__proto__)":{"a":1}},[{"(constructor)":{"prototype":1}},{"constructor":"x"}]]',
    );
  });

  it("unused names are reported, as many as a header can hold", async () => {
    const text = { type: "text", text: "Hello" };
    const odd = await posted(saying(text, { type: "data-\ud800" }));
    expect([odd.status, odd.headers.get("x-parley-unused")]).toEqual([200, "data-%EF%BF%BD"]);
    await odd.body?.cancel();
    const fields = Array.from({ length: 3_000 }, (_, at) => [`field-${at}`, 1]);
    const many = await posted({ ...saying(text), ...Object.fromEntries(fields) });
    expect(many.headers.get("x-parley-unused")).toMatch(/^field-0, field-1, .*field-\d+, \.\.\.$/);
    await many.body?.cancel();
  });

  it.each([
    ["", "a.md", "data:;base64,aGk=", ["a.md", "application/octet-stream", 2]],
    ["", "", "data:text/markdown;base64,aGk%3D", ["file", "text/markdown", 2]],
    ["text/plain", undefined, "data:,a%20b", ["file", "text/plain", 3]],
  ])("a file of type %j named %j at %s is stored", async (mediaType, filename, url, expected) => {
    const response = await posted(saying({ type: "file", mediaType, filename, url }));
    await response.body?.cancel();
    const { messages } = await stateOf(response.headers.get("x-session-id") ?? "");
    const [file] = messages[0]?.files ?? [];
    expect([file?.name, file?.mediaType, file?.size]).toEqual(expected);
  });

  it.each([
    ["text/plain", "a", "data:text/plain;base64,a!", "is not Base64"],
    ["text/plain\r\nX: 1", "a", "data:,x", "mediaType: must not hold control"],
    ["text/plain", "a\0", "data:,x", "filename: must not hold control"],
    ["text/plain", "a", "data:,%ff", "is not a data: URL"],
  ])(
    "a file of type %j named %j at %s is rejected, and nothing is created",
    async (mediaType, filename, url, why) => {
      const body = saying({ type: "file", mediaType, filename, url });
      const response = await posted(body);
      expect([response.status, await response.text()]).toEqual([422, expect.stringContaining(why)]);
      await expect(stateOf(body.id)).rejects.toThrow("no session");
    },
  );
});

it("disconnecting cancels the run when the header asks for it, even before its first text", async () => {
  const chat = chatAt({ headers: { "X-Parley-On-Disconnect": "cancel" } });
  const sent = chat.sendMessage({ text: "Go" });
  const { runId } = await underWay(chat);
  await expect.poll(() => chat.messages.length).toBe(2);
  await chat.stop();
  await sent;
  const ended = async () => (await stateOf(chat.id)).runs.get(runId);
  await expect.poll(ended).toMatchObject({ status: "cancelled", reason: "The client hung up" });
  const refused = await fetch(`${url()}/ai/${chat.id}/stream`, {
    headers: { "X-Parley-On-Disconnect": "perhaps" },
  });
  expect(refused.status).toBe(422);
});

it("a deleted session returns 404", async () => {
  const chat = await chatOf(["one"]);
  expect((await rest("DELETE", `/api/v1/sessions/${chat.id}`)).status).toBe(204);
  const resumed = await fetch(`${url()}/ai/${chat.id}/stream`);
  const again = await posted({ id: chat.id, messages: chat.messages.slice(0, 1) });
  for (const { status, text } of [resumed, again].map((one) => ({ status: one.status, text: one.text() })))
    expect([status, await text]).toEqual([410, expect.stringContaining("was deleted")]);
});

it("concurrent duplicates of a request start one run", async () => {
  const chat = await chatOf(["one", "two"]);
  const [one, first, two] = chat.messages;
  const said = (text: string, id: string = crypto.randomUUID()) => {
    return { id, role: "user", parts: [{ type: "text", text }] };
  };
  const greeting = { id: "greeting", role: "assistant", parts: [{ type: "text", text: "Hi" }] };
  for (const body of [
    { id: crypto.randomUUID(), messages: [said("new")] },
    { id: crypto.randomUUID(), messages: [greeting, said("begun elsewhere")] },
    { id: crypto.randomUUID(), message: said("alone") },
    { id: chat.id, messages: [...chat.messages, said("three")] },
    { id: chat.id, messages: [one, first, said("zwei", two?.id)] },
    { id: chat.id, messages: [one, greeting, said("otherwise")] },
  ]) {
    const responses = await Promise.all([1, 2, 3, 4].map(() => posted(body)));
    const sessions = new Set(responses.map(({ headers }) => headers.get("x-session-id") ?? ""));
    expect([sessions.size, ...responses.map(({ status }) => status)]).toEqual([1, 200, 200, 200, 200]);
    const [session = ""] = sessions;
    const runs = [...(await stateOf(session)).runs.values()].filter(({ status }) => status === "running");
    expect(runs).toHaveLength(1);
    const { id = "" } = runs[0] ?? {};
    await bringsTo(session, id, [says(id, "Once"), completes(id, "Once")]);
    const texts = await Promise.all(responses.map((response) => response.text()));
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain("Once");
  }
});

it("losing access mid-stream ends the stream with an error, and the run continues", async () => {
  const chat = chatAt({ headers: { "X-Test-Ends": "yes", "X-Parley-On-Disconnect": "cancel" } });
  const sent = chat.sendMessage({ text: "Go" });
  const { runId, brings } = await underWay(chat);
  await brings([says(runId, "So far")]);
  await expect.poll(() => chat.messages.length === 2 && textOf(chat.last)).toBe("So far");
  ends();
  await sent;
  expect([chat.status, chat.error?.message]).toEqual(["error", "You may not read this any more"]);
  expect((await stateOf(chat.id)).runs.get(runId)?.status).toBe("running");
  await brings([completes(runId, "So far")]);
});
