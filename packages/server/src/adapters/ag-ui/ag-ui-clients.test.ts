import { randomUUID } from "node:crypto";
import type { Event } from "@ag-ui/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ApiServer } from "../../api/testing/api-server.ts";
import { ANN, asks, completed, start, ThreadClient, token } from "./testing/thread-client.ts";

let server: ApiServer;
beforeAll(async () => {
  server = await ApiServer.start();
});
afterAll(() => server.stop());

const TEXT = Buffer.from("blue,3\n").toString("base64");

/** A request of a client before AG-UI 1.0: without a version, and with `null` for absent fields. */
const earlier = (threadId: string, messages: readonly object[], more: object = {}) => ({
  ...{ threadId, runId: randomUUID(), parentRunId: null, state: null, forwardedProps: null, messages },
  ...{ tools: [{ name: "paint", description: "Paints", parameters: null }], context: [], ...more },
});
const user = (content: unknown) => ({ id: randomUUID(), role: "user", name: null, content });

/** The events of an answer, once its run has ended. */
const eventsIn = (text: string) =>
  text.split("\n").flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6)) as Event] : []));

/** Runs of a thread, once there are so many. */
async function runsOf(threadId: string, count = 1): Promise<readonly string[]> {
  const runs = async () => [...(await server.sessions.state(ANN, threadId)).runs.keys()];
  await expect.poll(() => runs().catch(() => []), { timeout: 60_000 }).toHaveLength(count);
  return runs();
}

it("AG-UI accepts requests from before 1.0: null for absent fields, and files as binary parts", async () => {
  const threadId = randomUUID();
  const binary = { type: "binary", mimeType: "text/csv", data: TEXT, filename: "mugs.csv", url: null };
  const message = user([{ type: "text", text: "How many?" }, binary]);
  const answer = server.ask("POST", "/agui", earlier(threadId, [message]));
  const [runId = ""] = await runsOf(threadId);
  await server.brings(threadId, runId, [start(runId), token(runId, "3"), completed(runId, "3")]);
  const { status, text } = await answer;
  expect(status, text).toBe(200);
  const { messages } = await server.sessions.state(ANN, threadId);
  expect(messages[0]).toMatchObject({
    content: "How many?",
    files: [{ name: "mugs.csv", mediaType: "text/csv" }],
  });
});

it("a client that does not keep authors keeps the answer beside sub-agents' texts", async () => {
  const threadId = randomUUID();
  const message = user("Look");
  const first = server.ask("POST", "/agui", earlier(threadId, [message]));
  const [runId = ""] = await runsOf(threadId);
  await server.brings(threadId, runId, [start(runId), token(runId, "Done"), completed(runId, "Done")]);
  await first;
  const said = (id: string, content: string) => ({ id: `${runId}-${id}`, role: "assistant", content });
  const heard = [message, said("text-2", "Nothing is changed"), said("answer", "Done")];
  const second = server.ask("POST", "/agui", earlier(threadId, [...heard, user("And now?")]));
  const [, next = ""] = await runsOf(threadId, 2);
  await server.brings(threadId, next, [completed(next, "")]);
  // The client is already up to date: nothing is sent again.
  expect(eventsIn((await second).text).filter(({ type }) => type === "MESSAGES_SNAPSHOT")).toEqual([]);
});

it("a client before 1.0 receives nothing that would break its stream: files are URLs, and a cancelled run just ends", async () => {
  const threadId = randomUUID();
  const source = { type: "data", value: TEXT, mimeType: "text/csv" };
  const message = user([{ type: "document", source, metadata: { filename: "mugs.csv" } }]);
  const answer = server.ask("POST", "/agui", earlier(threadId, [message]));
  const [runId = ""] = await runsOf(threadId);
  await server.ask("POST", `/api/v1/sessions/${threadId}/runs/${runId}/cancel`, {});
  const end = eventsIn((await answer).text).at(-1);
  expect(end).toMatchObject({ type: "RUN_FINISHED" });
  expect(end).not.toHaveProperty("outcome");
  const looking = await server.ask("POST", "/agui", earlier(threadId, []));
  const shown = eventsIn(looking.text).find((event) => event.type === "MESSAGES_SNAPSHOT");
  const [{ blob = "" } = {}] = (await server.sessions.state(ANN, threadId)).messages[0]?.files ?? [];
  expect(shown).toMatchObject({
    messages: [
      {
        content: [
          {},
          { source: { type: "url", value: `/api/v1/files/${blob}/content`, mimeType: "text/csv" } },
        ],
      },
    ],
  });
  // Sent back in another message, it is the same file.
  const [first] = shown?.type === "MESSAGES_SNAPSHOT" ? shown.messages : [];
  const [, part] = Array.isArray(first?.content) ? first.content : [];
  void server.ask("POST", "/agui", earlier(threadId, [user([part])])).catch(() => undefined);
  await runsOf(threadId, 2);
  expect((await server.sessions.state(ANN, threadId)).messages.at(-1)?.files).toMatchObject([{ blob }]);
});

it("a request for suggestions by a page's own tool is answered without a run or a record (CopilotKit)", async () => {
  const client = new ThreadClient(server);
  await client.hears("One", "First");
  const suggestions = randomUUID();
  const { status, text, headers } = await server.ask("POST", "/agui", {
    ...earlier(suggestions, [...client.agent.messages, user("Suggest what the user could say next.")]),
    tools: [{ name: "copilotkitSuggest", description: "Suggest", parameters: {} }],
    forwardedProps: { toolChoice: { type: "function", function: { name: "copilotkitSuggest" } } },
  });
  expect([status, eventsIn(text).map(({ type }) => type)]).toEqual([
    200,
    ["RUN_STARTED", "STATE_SNAPSHOT", "RUN_FINISHED"],
  ]);
  expect(headers.get("x-parley-unused")).toBe("tools, forwardedProps, messages");
  await expect(server.sessions.state(ANN, suggestions)).rejects.toMatchObject({ code: "not_found" });
});

it("a run continues after an answer under the same run id, with the record's tool results instead of the page's (CopilotKit)", async () => {
  const client = new ThreadClient(server);
  const runId = randomUUID();
  const first = client.say("Delete it", { runId });
  const run = await client.begun();
  const call = { type: "agent_tool_call", runId: run, callId: "c", tool: "drop", arguments: {} } as const;
  const asked = { ...asks(run, 1), tool: "drop" } as const;
  await server.brings(client.id, run, [call, asked]);
  await first;
  const [interrupt] = client.agent.pendingInterrupts;
  expect(interrupt?.toolCallId).toBe(`${run}-call-1`);
  client.agent.addMessage({
    ...{ id: randomUUID(), role: "tool", content: "{}" },
    toolCallId: `${run}-call-1`,
  });
  const resume = [
    { interruptId: interrupt?.id ?? "", status: "resolved" as const, payload: { approved: true } },
  ];
  const second = client.run({ runId, resume });
  await expect.poll(async () => (await client.state()).runs.get(run)?.status).toBe("running");
  await server.brings(client.id, run, [
    { type: "agent_tool_result", runId: run, callId: "c", outcome: "succeeded", result: "Dropped" },
    ...[start(run), token(run, "Done"), completed(run, "Done")],
  ]);
  await second;
  expect(client.agent.messages.map(({ role, content }) => [role, content])).toEqual([
    ["user", "Delete it"],
    ["assistant", undefined],
    ["tool", "Dropped"],
    ["assistant", "Done"],
  ]);
});

it("an interrupt has a schema that assistant-ui answers by itself, and its reason is accepted", async () => {
  const client = new ThreadClient(server);
  const first = client.say("Delete it");
  const run = await client.begun();
  await server.brings(client.id, run, [{ ...asks(run, 1), tool: "drop" } as ReturnType<typeof asks>]);
  await first;
  const [interrupt] = client.agent.pendingInterrupts;
  const { responseSchema } = interrupt ?? {};
  expect(Object.keys(responseSchema ?? {}).toSorted()).toEqual(["properties", "required", "type"]);
  expect(responseSchema).toMatchObject({
    properties: { reason: { type: "string" } },
    required: ["approved"],
  });
  const payload = { approved: false, reason: "Not today" };
  const misspelt = await server.ask("POST", "/agui", {
    ...{ threadId: client.id, runId: "r", messages: [] },
    resume: [{ interruptId: interrupt?.id, status: "resolved", payload: { ...payload, edited_args: {} } }],
  });
  expect(misspelt.status).toBe(422);
  const resume = [{ interruptId: interrupt?.id ?? "", status: "resolved" as const, payload }];
  const second = client.run({ resume });
  const answer = async () => (await client.state()).approvals.get(interrupt?.id ?? "")?.answer;
  await expect.poll(answer).toMatchObject({ decision: "denied", text: "Not today" });
  await server.brings(client.id, run, [completed(run, "")]);
  await second;
});

it("a run continues when its client disconnects, or is cancelled where X-Parley-On-Disconnect says so", async () => {
  for (const [wish, status] of [
    ["cancel", "cancelled"],
    ["continue", "running"],
  ] as const) {
    const client = new ThreadClient(server, randomUUID(), { "X-Parley-On-Disconnect": wish });
    const told = client.say("Go");
    const run = await client.begun();
    await server.brings(client.id, run, [start(run), token(run, "One, ")]);
    await expect.poll(() => client.texts).toEqual(["Go", "One, "]);
    client.agent.abortRun();
    await told.catch(() => undefined);
    const now = async () => (await server.sessions.state(ANN, client.id)).runs.get(run)?.status;
    await expect.poll(now).toBe(status);
    if (status === "running") await server.brings(client.id, run, [completed(run, "One, two")]);
    // Whoever asks again has what there is.
    const again = new ThreadClient(server, client.id);
    await again.run();
    expect(again.texts).toEqual(["Go", status === "running" ? "One, two" : "One, "]);
  }
  const { status, json } = await server.ask("POST", "/agui", earlier("x", []), {
    "X-Parley-On-Disconnect": "maybe",
  });
  expect([status, json.code]).toEqual([422, "invalid"]);
});
