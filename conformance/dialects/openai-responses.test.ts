import OpenAI from "openai";
import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import { describe, expect, it } from "vitest";
import { startAskingPeer, startEndlessPeer, startSlowPeer } from "../peers/index.ts";
import { during } from "../peers/testing/peer-client.ts";
import type { ApiClient } from "../sessions/testing/api-client.ts";
import { RecordPlatform } from "../sessions/testing/record-platform.ts";

const ANSWER = "High wäter at noon 🌊";
const startTides = (pause = 5) =>
  during(startSlowPeer({ name: "tides", tokens: ["High ", "wäter ", "at ", "noon 🌊"], pause }));
const clientOf = ({ url }: RecordPlatform) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
const saidIn = async (api: ApiClient, id: string) =>
  (await api.read(id)).messages.map(({ content }) => content);
const runsIn = async (api: ApiClient, id: string) =>
  (await api.read(id)).events.filter(({ type }) => type === "agent_start").length;
const sessionOf = ({ conversation }: OpenAI.Responses.Response) => conversation?.id ?? "";

describe("the openai package, responses", { timeout: 300_000 }, () => {
  it("asks, streams and goes on after an answer, or in a fork where the session has gone on already", async () => {
    const tides = await startTides();
    const platform = await RecordPlatform.start({ tides });
    const { api } = platform;
    const client = clientOf(platform);
    const first = await client.responses.create({ model: "tides", input: "When?", instructions: "Be brief" });
    expect([first.status, first.output_text]).toEqual(["completed", ANSWER]);
    const session = sessionOf(first);
    const stream = client.responses.stream({
      model: "tides",
      input: "And then?",
      previous_response_id: first.id,
    });
    const second = await stream.finalResponse();
    expect([second.output_text, sessionOf(second)]).toEqual([ANSWER, session]);
    const [asked, ...others] = await saidIn(api, session);
    expect(asked).toBe("<context>\nBe brief\n</context>\n\nWhen?");
    expect(others).toEqual([ANSWER, "And then?", ANSWER]);
    const other = await client.responses.create({
      model: "tides",
      input: "Else?",
      previous_response_id: first.id,
    });
    expect(sessionOf(other)).not.toBe(session);
    expect(await saidIn(api, sessionOf(other))).toEqual([asked, ANSWER, "Else?", ANSWER]);
    const named = await client.responses.create({ model: "tides", input: "More?", conversation: session });
    expect(await saidIn(api, session)).toEqual([asked, ...others, "More?", ANSWER]);
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

  it("a cut is gone on with after the last event that came: no second run, and all of them once", async () => {
    const tides = await startTides(150);
    const platform = await RecordPlatform.start({ tides });
    const { api } = platform;
    const client = clientOf(platform);
    const seen: ResponseStreamEvent[] = [];
    const cut = await client.responses.create({ model: "tides", input: "When?", stream: true });
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
    expect([await runsIn(api, session), await saidIn(api, session)]).toEqual([1, ["When?", ANSWER]]);
  });

  it("a question ends a response, and an approval response goes on; a run is polled and cancelled", async () => {
    const shy = await during(startAskingPeer({ name: "shy", question: "Blue or red?" }));
    const endless = await during(startEndlessPeer({ name: "endless" }));
    const platform = await RecordPlatform.start({ shy, endless });
    const { api } = platform;
    const client = clientOf(platform);
    const asked = await client.responses.create({ model: "shy", input: "Paint it" });
    const [question] = asked.output;
    if (question?.type !== "mcp_approval_request") throw new Error(JSON.stringify(asked.output));
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
    expect(await saidIn(api, sessionOf(asked))).toEqual(["Paint it", "You said: blue"]);
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

  it("says what is wrong in OpenAI's shape", async () => {
    const platform = await RecordPlatform.start({ tides: await startTides() });
    const client = clientOf(platform);
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
