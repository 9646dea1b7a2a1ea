import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ANSWER, type OpenAiPlatform, startOpenAiPlatform } from "./testing/openai-platform.ts";

type Message = OpenAI.ChatCompletionMessageParam;
type Delta = OpenAI.ChatCompletionChunk.Choice.Delta & { reasoning_content?: string };

const user = (content: string): Message => ({ role: "user", content });
const assistant = (content: string): Message => ({ role: "assistant", content });

let platform: OpenAiPlatform;
let client: OpenAI;
beforeAll(async () => {
  platform = await startOpenAiPlatform();
  client = platform.client;
}, 180_000);
afterAll(() => platform.stop());

/** The text of a stream, and its session. */
async function streamed(
  body: Omit<OpenAI.ChatCompletionCreateParamsStreaming, "stream">,
  headers: Record<string, string> = {},
) {
  const { data, response } = await client.chat.completions
    .create({ ...body, stream: true }, { headers })
    .withResponse();
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  for await (const chunk of data) chunks.push(chunk);
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }): Delta => delta));
  return {
    ...{ chunks, deltas, headers: response.headers, session: response.headers.get("x-session-id") ?? "" },
    text: deltas.map(({ content }) => content ?? "").join(""),
    thought: deltas.map(({ reasoning_content }) => reasoning_content ?? "").join(""),
  };
}

/** Disconnects at the first text. */
async function cutOff(
  body: Omit<OpenAI.ChatCompletionCreateParamsStreaming, "stream">,
  headers: Record<string, string> = {},
) {
  const cut = await client.chat.completions.create({ ...body, stream: true }, { headers });
  for await (const chunk of cut) if (chunk.choices[0]?.delta.content) break;
}

describe("the openai package, chat completions", { timeout: 180_000 }, () => {
  it("talks to each running agent, streaming or not, with the recorded text; without any header one conversation is one session", async () => {
    const models = (await client.models.list()).data.map(({ id }) => id);
    expect(models.toSorted()).toEqual([
      ...["ebb", "endless", "failing", "files", "shy", "supervisor", "thinker", "tides"],
    ]);
    expect(await client.models.retrieve("tides")).toMatchObject({ id: "tides", object: "model" });
    const before = await platform.sessions();
    const first = await streamed({
      ...{ model: "tides", messages: [user("When?")], temperature: 0.1, seed: 3 },
      stream_options: { include_usage: true },
    });
    expect(first.text).toBe(ANSWER);
    expect(first.headers.get("x-parley-unused")).toBe("temperature, seed");
    expect(first.chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 0 } });
    expect(first.chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop");
    expect(await platform.answers(first.session)).toEqual([ANSWER]);

    // As front ends send it: trimmed, and with their decoration of an answer.
    const shown = `<details type="reasoning" done="true">\n<summary>Thought</summary>\n> hm\n</details>\n${ANSWER}  `;
    const history = [user(" When?\n"), assistant(shown), user("And then?")];
    const second = await client.chat.completions.create({ model: "tides", messages: history }).withResponse();
    expect(second.data.choices[0]?.message.content).toBe(ANSWER);
    expect(second.response.headers.get("x-session-id")).toBe(first.session);
    const third = client.chat.completions.stream({
      ...{ model: "thinker", messages: [...history, assistant(ANSWER), user("Say hello")] },
    });
    const said = await third.finalContent();
    expect(await platform.sessions()).toBe(before + 1);
    expect(await platform.answers(first.session)).toEqual([ANSWER, ANSWER, said]);
    expect(said).not.toBe("");
  });

  it("retries an interrupted stream without a second run; repeating a completed request or editing the history gets a new answer in a fork", async () => {
    const body = { model: "ebb", messages: [user("When is it low?")] };
    await cutOff(body);
    const again = await streamed(body);
    expect(again.text).toBe(ANSWER);
    expect([await platform.runs(again.session), await platform.answers(again.session)]).toEqual([
      1,
      [ANSWER],
    ]);

    // Interrupted, and retried after the run has ended.
    const next = { model: "ebb", messages: [...body.messages, assistant(ANSWER), user("And then?")] };
    await cutOff(next);
    await platform.api.ended(again.session);
    expect((await streamed(next)).session).toBe(again.session);
    expect(await platform.runs(again.session)).toBe(2);

    const regenerated = await streamed({ ...next, model: "tides" });
    expect(regenerated.session).not.toBe(again.session);
    expect(regenerated.text).toBe(ANSWER);
    const changed = [...body.messages, assistant("Low water at six"), user("And then?")];
    const forked = await streamed({ model: "tides", messages: changed });
    expect(await platform.said(forked.session)).toEqual([
      ...["When is it low?", "Low water at six", "And then?", ANSWER],
    ]);
    for (const { session } of [regenerated, forked])
      expect((await platform.api.read(session)).session).toMatchObject({ parentId: expect.any(String) });
    // A stop and a follow-up: the truncated answer is recognized.
    const stopped = [...body.messages, assistant("High wä"), user("Never mind")];
    const onward = await streamed({ model: "tides", messages: stopped });
    expect((await platform.said(onward.session)).slice(-3)).toEqual([ANSWER, "Never mind", ANSWER]);
  });

  it("starts one run per idempotency key; a disconnect cancels it only when the client asks for that", async () => {
    const body = { model: "tides", messages: [user("Asked"), assistant("Told elsewhere"), user("Asked")] };
    const headers = { "Idempotency-Key": "the-one-request" };
    const all = await Promise.all([1, 2, 3].map(() => streamed(body, headers)));
    const later = await streamed(body, headers);
    expect(new Set([...all, later].map(({ session }) => session)).size).toBe(1);
    expect([...all, later].map(({ text }) => text)).toEqual([ANSWER, ANSWER, ANSWER, ANSWER]);
    expect(await platform.runs(later.session)).toBe(1);
    expect(await platform.said(later.session)).toEqual(["Asked", "Told elsewhere", "Asked", ANSWER]);
    const session = randomUUID();
    await cutOff(
      { model: "endless", messages: [user("Go on")] },
      { "X-Session-Id": session, "X-Parley-On-Disconnect": "cancel" },
    );
    const { events } = await platform.api.ended(session);
    expect(events.at(-1)).toMatchObject({
      type: "agent_cancelled",
      payload: { reason: "The client hung up" },
    });
  });

  it("streams a question as text and takes the next message as its answer; the text before and after is the recorded answer", async () => {
    const before = await platform.sessions();
    const first = await streamed({ model: "shy", messages: [user("Paint it")] });
    expect(first.text).toMatch(/^\n\n---\n\*\*Waiting for you\*\* · .*Blue or red\?/s);
    expect(first.chunks.at(-1)?.choices[0]?.finish_reason).toBe("stop");
    const history = [user("Paint it"), assistant(first.text.trim())];
    const answer = { model: "shy", messages: [...history, user("blue")] };
    const second = await streamed(answer);
    expect([second.session, second.text]).toEqual([first.session, "You said: blue"]);
    expect((await streamed(answer)).text).toBe("You said: blue");
    expect(await platform.answers(first.session)).toEqual(["You said: blue"]);
    const on = [...answer.messages, assistant(second.text), user("Paint another")];
    expect((await streamed({ model: "shy", messages: on })).session).toBe(first.session);
    const third = await streamed(
      { model: "shy", messages: [user("red")] },
      { "X-Session-Id": first.session },
    );
    expect(third.text).toBe("You said: red");
    expect(await platform.sessions()).toBe(before + 1);
  });

  it.each([
    ["yes, please", "Order 20 mugs"],
    ["no", undefined],
  ])("a tool that needs approval accepts %s as the answer", async (reply, expected) => {
    const name = `order-${reply.slice(0, 2)}.txt`;
    const asked = [user(`Write "Order 20 mugs" to the file ${name}`)];
    const first = await streamed({ model: "files", messages: asked }, { "X-Parley-Tool-Calls": "include" });
    expect(first.text).toContain("files__write_file");
    expect(first.text).toContain("*Reply yes or no");
    const file = () => readFile(join(platform.filesFolder, name), "utf8").catch(() => undefined);
    expect(await file()).toBeUndefined();
    const second = await streamed(
      { model: "files", messages: [...asked, assistant(first.text), user(reply)] },
      { "X-Parley-Tool-Calls": "include" },
    );
    expect([second.session, await file()]).toEqual([first.session, expected]);
    const calls = [...first.deltas, ...second.deltas].flatMap(({ tool_calls = [] }) => tool_calls);
    expect(calls.map((call) => call.function?.name)).toEqual(["files__write_file"]);
    const [before = ""] = first.text.split("\n\n---\n");
    expect(await platform.answers(first.session)).toEqual([before + second.text]);
    expect(await platform.runs(first.session)).toBe(1);
  });

  it("streams reasoning when requested, even to a client that joins late, and reports the run's usage", async () => {
    const messages = [user("Think of 6 times 7")];
    const body = { model: "thinker", messages, reasoning_effort: "low" as const };
    const first = await streamed({ ...body, stream_options: { include_usage: true } });
    expect(first.thought).not.toBe("");
    expect(await platform.answers(first.session)).toEqual([first.text]);
    const { events } = await platform.api.read(first.session);
    const ended = events.find(({ type }) => type === "agent_complete");
    const { inputTokens, outputTokens } = (ended?.payload.usage ?? {}) as Record<string, number>;
    expect(first.chunks.at(-1)?.usage).toMatchObject({
      ...{ prompt_tokens: inputTokens, completion_tokens: outputTokens },
      total_tokens: Number(inputTokens) + Number(outputTokens),
    });
    const kept = { "Idempotency-Key": "thought-once" };
    const whole = await client.chat.completions.create(body, { headers: kept });
    const again = await streamed(body, kept);
    const { message } = whole.choices[0] as { message: { content: string; reasoning_content?: string } };
    expect([again.text, again.thought]).toEqual([message.content, message.reasoning_content]);
    const { thought } = await streamed({ model: "thinker", messages: [user("Think of 2 times 3")] });
    expect(thought).toBe("");
  });

  it("returns errors in OpenAI's format, and answers the internal requests of front ends without a run", async () => {
    const messages = [user("Hello")];
    const refused = (body: object, headers = {}) =>
      client.chat.completions
        .create({ model: "supervisor", messages, ...body } as OpenAI.ChatCompletionCreateParamsNonStreaming, {
          headers,
        })
        .then(
          () => ["not refused"],
          (error) => [error.status, error.code, error.param],
        );
    expect(await refused({ model: "gpt-4" })).toEqual([404, "model_not_found", "model"]);
    expect(await refused({ tools: [{ type: "function", function: { name: "f" } }] })).toEqual([
      ...[400, "unsupported_parameter", "tools"],
    ]);
    expect(await refused({ n: 2 })).toEqual([400, "unsupported_parameter", "n"]);
    expect(await refused({ response_format: { type: "json_object" } })).toEqual([
      ...[400, "unsupported_parameter", "response_format"],
    ]);
    expect(await refused({ messages: [{ role: "user", content: 5 }] })).toEqual([
      ...[400, "invalid_value", "messages.0.content"],
    ]);
    expect(await refused({ messages: [assistant("Hm")] })).toEqual([400, "invalid_value", "messages"]);
    const image = (url: string) => [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }];
    expect(await refused({ messages: image("https://example.com/a.png") })).toEqual([
      ...[400, "invalid_value", "messages.0.content.0.image_url.url"],
    ]);
    expect(await refused({ messages: [user("x".repeat(17_000_000))] })).toEqual([
      ...[413, "context_length_exceeded", null],
    ]);
    expect(await refused({}, { "X-Session-Id": "x".repeat(501) })).toEqual([
      400,
      "invalid_value",
      "X-Session-Id",
    ]);
    expect(await refused({}, { "X-Parley-On-Disconnect": "explode" })).toEqual([
      ...[400, "invalid_value", "header.X-Parley-On-Disconnect"],
    ]);
    expect(await refused({ model: "failing" })).toEqual([500, "run_failed", null]);
    await expect(streamed({ model: "failing", messages: [user("Again")] })).rejects.toMatchObject({
      code: "run_failed",
    });
    const before = await platform.sessions();
    const prompt =
      '### Task:\nGenerate a title.\n### Output:\nJSON format: { "title": "…" }\n### Chat History:\n<chat_history>\nUSER: What is the tide at noon?\nASSISTANT: High.\n</chat_history>';
    const title = await client.chat.completions.create({ model: "supervisor", messages: [user(prompt)] });
    expect(JSON.parse(title.choices[0]?.message.content ?? "")).toEqual({
      title: "What is the tide at noon",
    });
    expect(await platform.sessions()).toBe(before);
  });
});
