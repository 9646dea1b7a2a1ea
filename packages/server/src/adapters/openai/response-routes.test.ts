import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { AnsweringServer, type Answers, answered, RESPONSES } from "./testing/answering-server.ts";

let server: AnsweringServer;
let counting: Answers;
beforeAll(async () => {
  server = await AnsweringServer.start();
  counting = server.answers;
});
afterAll(() => server.api.stop());
beforeEach(() => {
  server.answers = counting;
});

const user = (content: unknown) => ({ role: "user", content });
const respond = async (body: object, headers = {}) =>
  (await server.api.ask("POST", RESPONSES, { model: "supervisor", ...body }, headers)).json;

it("the Responses API accepts references to items of its answers", async () => {
  server.answers = (runId) => [
    { type: "agent_tool_call", runId, callId: "c", tool: "look" },
    { type: "agent_token_start", runId, artifactId: "b", channel: "answer" },
    { type: "agent_token", runId, artifactId: "b", text: "First. " },
    { type: "agent_token_end", runId, artifactId: "b" },
    ...answered(runId, "Second.").slice(0, -1),
    { type: "agent_complete", runId, state: "completed", content: "First. Second.", messageId: "m" },
  ];
  const first = await respond({ input: "Twice, please" });
  const items = first.output.map(({ id }: { id: string }) => ({ type: "item_reference", id }));
  expect(items).toHaveLength(3);
  server.answers = counting;
  const second = await respond({ input: [user("Twice, please"), ...items, user("Thanks")] });
  expect(second.conversation.id).toBe(first.conversation.id);
  const refer = (id: string, headers = {}) =>
    respond({ input: [{ type: "item_reference", id }, user("And?")] }, headers);
  expect((await refer("msg_of-nobody_0_0")).error).toMatchObject({
    code: "item_not_found",
    param: "input.0.id",
  });
  expect((await refer(items[1].id, { "X-Test-Owner": "bob" })).error.code).toBe("item_not_found");
});

it("the Responses API refuses an unknown item and names the valid ones", async () => {
  const unknown = await respond({ input: [{ type: "function_call_output", call_id: "c", output: "x" }] });
  expect(unknown.error).toMatchObject({
    param: "input.0",
    message: expect.stringContaining("must be a message"),
  });
  const part = await respond({ input: [user([{ type: "input_smell" }])] });
  expect(part.error).toMatchObject({
    param: "input.0.content.0.type",
    message: expect.stringContaining("input_text"),
  });
});

it("a retrieved response repeats the settings of its request", async () => {
  const metadata = { order: "17" };
  const said = { metadata, instructions: "Be brief.", background: true };
  const first = await respond({ input: "Begin", ...said });
  expect(first).toMatchObject({ ...said, metadata });
  const read = async (id: string) => (await server.api.ask("GET", `${RESPONSES}/${id}`)).json;
  await expect.poll(async () => (await read(first.id)).status, { timeout: 60_000 }).toBe("completed");
  expect(await read(first.id)).toMatchObject({ ...said, metadata });
  const second = await respond({ input: "Go on", previous_response_id: first.id, instructions: "Be brief." });
  const { output, ...others } = await read(second.id);
  expect({ output, ...others }).toEqual(second);
  expect(others).toMatchObject({ previous_response_id: first.id, instructions: "Be brief." });
  const third = await respond({ input: "And on", previous_response_id: second.id });
  expect(await read(third.id)).toMatchObject({ instructions: null, previous_response_id: second.id });
});

it("a response that was read to its end by id counts as delivered: the same request is answered again", async () => {
  const begun = await respond({ input: "Read me later", background: true });
  const read = async () => (await server.api.ask("GET", `${RESPONSES}/${begun.id}`)).json.status;
  await expect.poll(read, { timeout: 60_000 }).toBe("completed");
  const again = await respond({ input: "Read me later" });
  expect(again.id).not.toBe(begun.id);
});
