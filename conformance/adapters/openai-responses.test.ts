import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type OpenAI from "openai";
import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ANSWER, type OpenAiPlatform, startOpenAiPlatform } from "./testing/openai-platform.ts";

let platform: OpenAiPlatform;
let client: OpenAI;
beforeAll(async () => {
  platform = await startOpenAiPlatform();
  client = platform.client;
}, 180_000);
afterAll(() => platform.stop());

const sessionOf = ({ conversation }: OpenAI.Responses.Response) => conversation?.id ?? "";
const approvalIn = ({ output }: OpenAI.Responses.Response) => {
  const question = output.find((item) => item.type === "mcp_approval_request");
  if (!question) throw new Error(JSON.stringify(output));
  return question;
};

describe("the openai package, responses", { timeout: 180_000 }, () => {
  it("creates, streams and continues responses, in a fork when the session has already moved on", async () => {
    const first = await client.responses.create({ model: "tides", input: "When?", instructions: "Be brief" });
    expect([first.status, first.output_text]).toEqual(["completed", ANSWER]);
    const session = sessionOf(first);
    const on = { model: "tides", previous_response_id: first.id };
    const second = await client.responses.stream({ ...on, input: "And then?" }).finalResponse();
    expect([second.output_text, sessionOf(second)]).toEqual([ANSWER, session]);
    const [asked, ...others] = await platform.said(session);
    expect(asked).toBe("<context>\nBe brief\n</context>\n\nWhen?");
    expect(others).toEqual([ANSWER, "And then?", ANSWER]);
    const other = await client.responses.create({ ...on, input: "Else?" });
    expect(sessionOf(other)).not.toBe(session);
    expect(await platform.said(sessionOf(other))).toEqual([asked, ANSWER, "Else?", ANSWER]);
    const named = await client.responses.create({ model: "tides", input: "More?", conversation: session });
    expect(await platform.said(session)).toEqual([asked, ...others, "More?", ANSWER]);
    expect(await client.responses.retrieve(named.id)).toMatchObject({
      output_text: ANSWER,
      status: "completed",
    });
    await client.responses.delete(named.id);
    await expect(client.responses.retrieve(named.id)).rejects.toMatchObject({
      status: 404,
      code: "response_not_found",
    });
  });

  it("resumes an interrupted stream after the last event received: no second run, and every event once", async () => {
    const seen: ResponseStreamEvent[] = [];
    const cut = await client.responses.create({ model: "ebb", input: "When?", stream: true });
    for await (const event of cut) {
      seen.push(event);
      if (event.type === "response.output_text.delta") break;
    }
    const [created] = seen;
    if (created?.type !== "response.created") throw new Error("not created");
    const { id } = created.response;
    const rest = await client.responses.retrieve(id, {
      ...{ stream: true, starting_after: seen.at(-1)?.sequence_number ?? 0 },
    });
    for await (const event of rest) seen.push(event);
    expect(seen.map(({ sequence_number }) => sequence_number)).toEqual(seen.map((_, place) => place));
    const deltas = seen.flatMap((event) =>
      event.type === "response.output_text.delta" ? [event.delta] : [],
    );
    expect(deltas.join("")).toBe(ANSWER);
    const last = seen.at(-1);
    if (last?.type !== "response.completed") throw new Error("not completed");
    const session = sessionOf(last.response);
    expect([await platform.runs(session), await platform.said(session)]).toEqual([1, ["When?", ANSWER]]);
  });

  it("ends a response at a question and continues it with an approval response; polls and cancels a run", async () => {
    const asked = await client.responses.create({ model: "shy", input: "Paint it" });
    const question = approvalIn(asked);
    expect(JSON.parse(question.arguments).question).toContain("Blue or red?");
    const answer = {
      type: "mcp_approval_response",
      approval_request_id: question.id,
      approve: true,
    } as const;
    const done = await client.responses
      .stream({ model: "shy", previous_response_id: asked.id, input: [{ ...answer, reason: "blue" }] })
      .finalResponse();
    expect([done.id, done.output_text]).toEqual([`${asked.id}.1`, "You said: blue"]);
    expect(await platform.said(sessionOf(asked))).toEqual(["Paint it", "You said: blue"]);
    const running = await client.responses.create({ model: "endless", input: "Go", background: true });
    expect(running.status).toBe("in_progress");
    await expect
      .poll(async () => (await client.responses.retrieve(running.id)).output.length, { timeout: 60_000 })
      .toBe(1);
    expect((await client.responses.cancel(running.id)).status).toBe("cancelled");
    expect(await client.responses.retrieve(running.id)).toMatchObject({
      ...{ status: "cancelled", output_text: "Working" },
    });
  });

  it.each([
    [true, "Order 20 mugs", "completed"],
    [false, undefined, "failed"],
  ])("a tool that needs approval, with approved set to %s", async (approve, expected, status) => {
    const name = `order-${approve}.txt`;
    const input = `Write "Order 20 mugs" to the file ${name}`;
    const asked = await client.responses.create({ model: "files", input });
    const question = approvalIn(asked);
    expect([question.name, JSON.parse(question.arguments)]).toEqual([
      ...["files__write_file", { path: name, content: "Order 20 mugs" }],
    ]);
    const answer = { type: "mcp_approval_response", approval_request_id: question.id, approve } as const;
    const given = { model: "files", previous_response_id: asked.id, input: [answer] };
    const done = await client.responses.create(given);
    const written = await readFile(join(platform.filesFolder, name), "utf8").catch(() => undefined);
    expect(written).toBe(expected);
    expect(done.output.find((item) => item.type === "mcp_call")).toMatchObject({ status });
    expect(await platform.answers(sessionOf(asked))).toEqual([asked.output_text + done.output_text]);
    // A repeated answer gets the same response; a changed one gets a conflict.
    expect((await client.responses.create(given)).output_text).toBe(done.output_text);
    const changed = { ...given, input: [{ ...answer, approve: !approve }] };
    await expect(client.responses.create(changed)).rejects.toMatchObject({ status: 409, code: "conflict" });
  });

  it("returns reasoning as items, or as summaries when requested; usage matches the log", async () => {
    const body = { model: "thinker", input: "Think of 6 times 7", reasoning: { effort: "low" } } as const;
    const thought = await client.responses.create(body);
    const [item] = thought.output;
    if (item?.type !== "reasoning") throw new Error(JSON.stringify(thought.output));
    const [{ text } = { text: "" }] = item.content ?? [];
    expect(text).not.toBe("");
    const { events } = await platform.api.read(sessionOf(thought));
    const ended = events.find(({ type }) => type === "agent_complete");
    const { inputTokens, outputTokens } = (ended?.payload.usage ?? {}) as Record<string, number>;
    expect(thought.usage).toMatchObject({ input_tokens: inputTokens, output_tokens: outputTokens });
    const stream = client.responses.stream({ ...body, reasoning: { summary: "auto" } });
    let summary = "";
    stream.on("response.reasoning_summary_text.delta", ({ delta }) => {
      summary += delta;
    });
    const summed = await stream.finalResponse();
    expect(summary).toBe(text);
    expect(summed.output[0]).toMatchObject({ summary: [{ type: "summary_text", text }] });
    expect((await client.responses.retrieve(summed.id)).output[0]).toEqual(summed.output[0]);
  });

  it("returns errors in OpenAI's format", async () => {
    const refused = (body: object) =>
      client.responses
        .create({ model: "tides", input: "x", ...body } as OpenAI.Responses.ResponseCreateParams)
        .then(
          () => ["not refused"],
          (error) => [error.status, error.code, error.param],
        );
    expect(await refused({ model: "gpt" })).toEqual([404, "model_not_found", "model"]);
    expect(await refused({ tools: [{ type: "web_search" }] })).toEqual([
      400,
      "unsupported_parameter",
      "tools",
    ]);
    expect(await refused({ previous_response_id: "resp_nothing" })).toEqual([
      ...[404, "response_not_found", "previous_response_id"],
    ]);
    expect(await refused({ conversation: "conv_nothing" })).toEqual([404, "not_found", null]);
    expect(await refused({ input: [] })).toMatchObject([400, "invalid_value", "input"]);
    expect(await refused({ text: { format: { type: "json_object" } } })).toEqual([
      ...[400, "unsupported_parameter", "text"],
    ]);
    await expect(client.responses.retrieve("resp_nothing")).rejects.toMatchObject({ status: 404 });
  });
});
