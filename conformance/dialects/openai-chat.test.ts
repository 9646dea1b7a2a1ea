import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { startAskingPeer, startFailingPeer, startSlowPeer } from "../peers/index.ts";
import { during } from "../peers/testing/peer-client.ts";
import type { ApiClient } from "../sessions/testing/api-client.ts";
import { RecordPlatform } from "../sessions/testing/record-platform.ts";

const ECHO = "---\ndescription: Says what it hears\nmodel: offline\n---\nSay what you hear.\n";

type Message = OpenAI.ChatCompletionMessageParam;

const user = (content: string): Message => ({ role: "user", content });
const assistant = (content: string): Message => ({ role: "assistant", content });

const clientOf = ({ url }: RecordPlatform) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });

const sessionsOf = async (api: ApiClient) =>
  (await api.call<{ sessions: { id: string; parentId?: string }[] }>("GET", "/sessions")).sessions;

const startTides = (pause = 5) =>
  during(startSlowPeer({ name: "tides", tokens: ["High ", "wäter ", "at ", "noon 🌊"], pause }));
const ANSWER = "High wäter at noon 🌊";

/** All text of a stream, and the session that it is of. */
async function streamed(
  client: OpenAI,
  body: Omit<OpenAI.ChatCompletionCreateParamsStreaming, "stream">,
  headers = {},
) {
  const { data, response } = await client.chat.completions
    .create({ ...body, stream: true }, { headers })
    .withResponse();
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  for await (const chunk of data) chunks.push(chunk);
  const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
  return { text, chunks, session: response.headers.get("x-session-id") ?? "", headers: response.headers };
}

const answersIn = async (api: ApiClient, session: string) =>
  (await api.read(session)).events
    .filter(({ type }) => type === "agent_complete")
    .map(({ payload }) => payload.content);

const runsIn = async (api: ApiClient, session: string) =>
  (await api.read(session)).events.filter(({ type }) => type === "agent_start").length;

describe("the openai package, chat completions", { timeout: 300_000 }, () => {
  it("talks to each agent that is up, streaming or not, and its text is the log's; without any header one conversation is one session", async () => {
    const tides = await startTides();
    const platform = await RecordPlatform.start({ tides }, { agentFiles: { echo: ECHO } });
    const { api } = platform;
    const client = clientOf(platform);
    const models = (await client.models.list()).data.map(({ id }) => id);
    expect(models.toSorted()).toEqual(["echo", "supervisor", "tides"]);
    expect(await client.models.retrieve("tides")).toMatchObject({ id: "tides", object: "model" });

    const first = await streamed(client, {
      ...{ model: "tides", messages: [user("When?")], temperature: 0.1, seed: 3 },
      stream_options: { include_usage: true },
    });
    expect(first.text).toBe(ANSWER);
    expect(first.headers.get("x-parley-unused")).toBe("temperature, seed");
    expect(first.chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 0 } });
    expect(first.chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop");
    expect(await answersIn(api, first.session)).toEqual([ANSWER]);

    // As front ends do: trimmed, and with what they show around an answer.
    const shown = `<details type="reasoning" done="true">\n<summary>Thought</summary>\n> hm\n</details>\n${ANSWER}  `;
    const history = [user(" When?\n"), assistant(shown), user("And then?")];
    const second = await client.chat.completions.create({ model: "tides", messages: history }).withResponse();
    expect(second.data.choices[0]?.message.content).toBe(ANSWER);
    expect(second.response.headers.get("x-session-id")).toBe(first.session);
    const third = client.chat.completions.stream({
      ...{ model: "echo", messages: [...history, assistant(ANSWER), user("Say hello")] },
    });
    const said = await third.finalContent();
    expect(await sessionsOf(api)).toHaveLength(1);
    expect(await answersIn(api, first.session)).toEqual([ANSWER, ANSWER, said]);
    expect(said).not.toBe("");
  });

  it("a cut is repeatable without a second run; the same again after a whole answer is another answer in a fork, and so is a changed history", async () => {
    const tides = await startTides(150);
    const platform = await RecordPlatform.start({ tides });
    const { api } = platform;
    const client = clientOf(platform);
    const body = { model: "tides", messages: [user("When?")] };
    const cut = await client.chat.completions.create({ ...body, stream: true });
    for await (const chunk of cut) if (chunk.choices[0]?.delta.content) break;
    const again = await streamed(client, body);
    expect(again.text).toBe(ANSWER);
    expect([await runsIn(api, again.session), await answersIn(api, again.session)]).toEqual([1, [ANSWER]]);

    // Cut off, and repeated after the run has ended.
    const next = { model: "tides", messages: [...body.messages, assistant(ANSWER), user("And then?")] };
    const later = await client.chat.completions.create({ ...next, stream: true });
    for await (const chunk of later) if (chunk.choices[0]?.delta.content) break;
    await api.ended(again.session);
    expect((await streamed(client, next)).session).toBe(again.session);
    expect(await runsIn(api, again.session)).toBe(2);

    const regenerated = await streamed(client, next);
    expect(regenerated.session).not.toBe(again.session);
    expect(regenerated.text).toBe(ANSWER);
    const changed = await streamed(client, {
      ...next,
      messages: [...body.messages, assistant("Low water at six"), user("And then?")],
    });
    const sessions = await sessionsOf(api);
    expect(sessions.map(({ parentId }) => parentId).filter(Boolean)).toHaveLength(2);
    const { messages } = await api.read(changed.session);
    expect(messages.map(({ content }) => content)).toEqual([
      "When?",
      "Low water at six",
      "And then?",
      ANSWER,
    ]);
    // A stop, and a further word: the answer that was cut off is the same answer.
    const stopped = [user("When?"), assistant("High wä"), user("Never mind")];
    const onward = await streamed(client, { model: "tides", messages: [...stopped] });
    expect((await api.read(onward.session)).messages.at(-2)?.content).toBe("Never mind");
  });

  it("one request under one key is one run; a hang-up cancels only where the client says so", async () => {
    const tides = await startTides(60);
    const platform = await RecordPlatform.start({ tides });
    const { api } = platform;
    const client = clientOf(platform);
    const body = { model: "tides", messages: [user("When?"), assistant("Told elsewhere"), user("When?")] };
    const headers = { "Idempotency-Key": "the-one-request" };
    const all = await Promise.all([1, 2, 3].map(() => streamed(client, body, headers)));
    const later = await streamed(client, body, headers);
    expect(new Set([...all, later].map(({ session }) => session)).size).toBe(1);
    expect([...all, later].map(({ text }) => text)).toEqual([ANSWER, ANSWER, ANSWER, ANSWER]);
    expect(await runsIn(api, later.session)).toBe(1);
    expect((await api.read(later.session)).messages.map(({ content }) => content)).toEqual([
      ...["When?", "Told elsewhere", "When?", ANSWER],
    ]);
    const session = "chosen-by-the-client-1";
    const sent = { "X-Session-Id": session, "X-Parley-On-Disconnect": "cancel" };
    const cut = await client.chat.completions.create(
      { model: "tides", messages: [user("When?")], stream: true },
      { headers: sent },
    );
    for await (const chunk of cut) if (chunk.choices[0]?.delta.content) break;
    const { events } = await api.ended(session);
    expect(events.at(-1)).toMatchObject({
      type: "agent_cancelled",
      payload: { reason: "The client hung up" },
    });
  });

  it("tells a question as text, and takes the next message for its answer: what was said before and after is the log's answer", async () => {
    const shy = await during(startAskingPeer({ name: "shy", question: "Blue or red?" }));
    const platform = await RecordPlatform.start({ shy });
    const { api } = platform;
    const client = clientOf(platform);
    const first = await streamed(client, { model: "shy", messages: [user("Paint it")] });
    expect(first.text).toMatch(/^\n\n---\n\*\*Waiting for you\*\* · .*Blue or red\?/s);
    expect(first.chunks.at(-1)?.choices[0]?.finish_reason).toBe("stop");
    const history = [user("Paint it"), assistant(first.text.trim())];
    const answer = { model: "shy", messages: [...history, user("blue")] };
    const second = await streamed(client, answer);
    expect([second.session, second.text]).toEqual([first.session, "You said: blue"]);
    expect((await streamed(client, answer)).text).toBe("You said: blue");
    expect(await answersIn(api, first.session)).toEqual(["You said: blue"]);
    const on = [...answer.messages, assistant(second.text), user("Paint another")];
    expect((await streamed(client, { model: "shy", messages: on })).session).toBe(first.session);
    const third = await streamed(
      client,
      { model: "shy", messages: [user("red")] },
      { "X-Session-Id": first.session },
    );
    expect(third.text).toBe("You said: red");
    expect(await sessionsOf(api)).toHaveLength(1);
  });

  it("says what is wrong in OpenAI's shape, and answers what front ends ask for themselves without a run", async () => {
    const failing = await during(startFailingPeer({ name: "failing" }));
    const platform = await RecordPlatform.start({ failing });
    const client = clientOf(platform);
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
    expect(await refused({}, { "X-Session-Id": "short" })).toEqual([400, "invalid_value", "X-Session-Id"]);
    expect(await refused({}, { "X-Parley-On-Disconnect": "explode" })).toEqual([
      ...[400, "invalid_value", "header.X-Parley-On-Disconnect"],
    ]);
    expect(await refused({ model: "failing" })).toEqual([500, "run_failed", null]);
    await expect(streamed(client, { model: "failing", messages: [user("Again")] })).rejects.toMatchObject({
      code: "run_failed",
    });
    const before = (await sessionsOf(platform.api)).length;
    const prompt =
      '### Task:\nGenerate a title.\n### Output:\nJSON format: { "title": "…" }\n### Chat History:\n<chat_history>\nUSER: What is the tide at noon?\nASSISTANT: High.\n</chat_history>';
    const title = await client.chat.completions.create({ model: "supervisor", messages: [user(prompt)] });
    expect(JSON.parse(title.choices[0]?.message.content ?? "")).toEqual({
      title: "What is the tide at noon",
    });
    expect(await sessionsOf(platform.api)).toHaveLength(before);
  });
});
