import { NotAuthenticatedError } from "@parley/identity";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ApiServer } from "../../api/testing/api-server.ts";

let api: ApiServer;
beforeAll(async () => {
  api = await ApiServer.start({}, undefined, {
    identityOf({ headers }) {
      const owner = String(headers["x-test-owner"] ?? "ann");
      if (owner === "nobody") throw new NotAuthenticatedError("Show a key");
      return { owner, name: owner, role: owner === "vera" ? "viewer" : "owner", workspace: "default" };
    },
  });
});
afterAll(() => api.stop());

const CHAT = "/v1/chat/completions";
const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });
const chat = (messages: readonly unknown[], headers = {}, more = {}) =>
  api.ask("POST", CHAT, { model: "supervisor", messages, ...more }, headers);

/** The session that a request has led to, once its run is under way, and that run. */
async function begun(session: string, headers = {}) {
  const read = async () =>
    (await api.ask("GET", `/api/v1/sessions/${session}/runs`, undefined, headers)).json?.runs ?? [];
  await expect.poll(async () => (await read())[0]?.status, { timeout: 60_000 }).toBe("running");
  return (await read())[0].id as string;
}

let chosen = 0;
/** Starts a conversation in its own session, and waits for the answer. */
function inSession(messages: readonly unknown[], more = {}) {
  const id = `ses_${String(++chosen).padStart(32, "0")}`;
  return { id, answer: chat(messages, { "X-Session-Id": id }, more) };
}

const textIn = (frames: string) =>
  frames
    .split("\n\n")
    .filter((frame) => frame.startsWith("data: {"))
    .map((frame) => JSON.parse(frame.slice(6)))
    .map(({ choices }) => choices?.[0]?.delta.content ?? "")
    .join("");

it("the OpenAI adapter refuses missing keys, viewers and unknown resources in OpenAI's format", async () => {
  const anonymous = await api.ask("GET", "/v1/models", undefined, { "X-Test-Owner": "nobody" });
  expect(anonymous.status).toBe(401);
  expect(anonymous.headers.get("www-authenticate")).toContain('Bearer realm="parley"');
  expect(anonymous.json).toEqual({
    error: { message: "Show a key", type: "invalid_request_error", param: null, code: "invalid_api_key" },
  });
  const viewer = await chat([user("Hi")], { "X-Test-Owner": "vera" });
  expect([viewer.status, viewer.json.error.code]).toEqual([403, "forbidden"]);
  expect((await api.ask("GET", "/v1/nothing")).json.error.code).toBe("not_found");
  const broken = await api.ask("POST", CHAT, "{", { "Content-Type": "application/json" });
  expect([broken.status, broken.json.error.type]).toEqual([400, "invalid_request_error"]);
});

it("another user's session, response or question gives the same error as one that does not exist", async () => {
  const { id, answer } = inSession([user("A secret")]);
  const runId = await begun(id);
  await api.answers(id, runId, "Quiet");
  expect((await answer).json.choices[0].message.content).toBe("Quiet");
  const bob = { "X-Test-Owner": "bob" };
  const leaving = new AbortController();
  const theirs = await fetch(`${api.url}${CHAT}`, {
    ...{ method: "POST", signal: leaving.signal },
    headers: { "Content-Type": "application/json", "X-Test-Owner": "cecil", "X-Session-Id": id },
    body: JSON.stringify({ model: "supervisor", messages: [user("Hello")], stream: true }),
  });
  leaving.abort();
  expect([theirs.status, theirs.headers.get("x-session-id") === id]).toEqual([200, false]);
  const read = (name: string, headers = {}) =>
    api.ask("GET", `/v1/responses/resp_${name}`, undefined, headers);
  expect((await read(runId)).json).toMatchObject({ status: "completed", conversation: { id } });
  const missing = runId.replace(/.$/, "_");
  expect((await read(runId, bob)).text.replaceAll(runId, "")).toBe(
    (await read(missing)).text.replaceAll(missing, ""),
  );
  const approve = { type: "mcp_approval_response", approval_request_id: `mcpr_${runId}~x`, approve: true };
  const answered = await api.ask("POST", "/v1/responses", { model: "supervisor", input: [approve] }, bob);
  expect([answered.status, answered.json.error.code]).toEqual([404, "approval_request_not_found"]);
  // The same words of another user are another conversation.
  const other = chat([user("A secret")], { ...bob, "Idempotency-Key": "k" });
  await expect
    .poll(async () => (await api.ask("GET", "/api/v1/sessions", undefined, bob)).json.sessions.length, {
      timeout: 60_000,
    })
    .toBe(1);
  const [{ id: own }] = (await api.ask("GET", "/api/v1/sessions", undefined, bob)).json.sessions;
  await api.answers(own, await begun(own, bob), "Mine");
  expect((await other).json.choices[0].message.content).toBe("Mine");
});

it("text that an agent takes back after it was sent is an error, and a repeated request gets the final answer", async () => {
  const id = `ses_${String(++chosen).padStart(32, "0")}`;
  const body = { model: "supervisor", messages: [user("When is high water?")] };
  const response = await fetch(`${api.url}${CHAT}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Session-Id": id },
    body: JSON.stringify({ ...body, stream: true }),
  });
  const runId = await begun(id);
  const start = { type: "agent_token_start", runId, artifactId: "a", channel: "answer" } as const;
  const say = (text: string) => ({ type: "agent_token", runId, artifactId: "a", text }) as const;
  await api.brings(id, runId, [start, say("High")]);
  let told = "";
  const changed = {
    type: "agent_complete",
    runId,
    state: "completed",
    content: "Low",
    messageId: "m",
  } as const;
  for await (const bytes of response.body ?? []) {
    told += Buffer.from(bytes).toString();
    if (told.endsWith('"High"},"logprobs":null,"finish_reason":null}]}\n\n'))
      await api.brings(id, runId, [{ ...start, restart: true }, say("Low"), changed]);
  }
  expect([textIn(told), told.includes("Low")]).toEqual(["High", false]);
  expect(told).toContain('"code":"answer_changed"');
  const again = await chat(body.messages, { "X-Session-Id": id });
  expect(again.json.choices[0].message.content).toBe("Low");
});

it("a message to a run under way is answered by that run, or by the one that follows it", async () => {
  const { id, answer } = inSession([user("First")]);
  const runId = await begun(id);
  const second = chat([user("Second")], { "X-Session-Id": id });
  await expect
    .poll(async () => (await api.ask("GET", `/api/v1/sessions/${id}`)).json.messages.length, {
      timeout: 60_000,
    })
    .toBe(2);
  await api.answers(id, runId, "To both");
  expect((await answer).json.choices[0].message.content).toBe("To both");
  expect((await second).json.choices[0].message.content).toBe("To both");
});

it("a question is sent as text, a yes answers it, and both texts together are the answer", async () => {
  const { id, answer } = inSession([user("Delete it")]);
  const runId = await begun(id);
  const say = (text: string) => ({ type: "agent_token", runId, artifactId: "a", text }) as const;
  await api.brings(id, runId, [
    { type: "agent_token_start", runId, artifactId: "a", channel: "answer" },
    say("I looked."),
    { type: "approval_requested", runId, approvalId: "q", question: "Delete a.txt?", tool: "delete" },
  ]);
  const first: string = (await answer).json.choices[0].message.content;
  expect(first).toMatch(/^I looked\.\n\n---\n\*\*Waiting for you\*\* · Delete a\.txt\?/);
  // By the history alone.
  const next = chat([user("Delete it"), assistant(first), user("yes")]);
  const state = async () =>
    (await api.sessions.state({ owner: "ann", workspace: "default" }, id)).approvals.get("q");
  await expect.poll(async () => (await state())?.answer?.decision, { timeout: 60_000 }).toBe("approved");
  const content = "I looked. It is gone.";
  await api.brings(id, runId, [
    say(" It is gone."),
    { type: "agent_complete", runId, state: "completed", content, messageId: "m" },
  ]);
  const second: string = (await next).json.choices[0].message.content;
  expect(first.split("\n\n---")[0] + second).toBe(content);
});

it("files in a message are the session's, and other URLs are not fetched", async () => {
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } };
  const { id, answer } = inSession([user([{ type: "text", text: "What is this?" }, image])]);
  const runId = await begun(id);
  await api.answers(id, runId, "A word");
  await answer;
  const [message] = (await api.ask("GET", `/api/v1/sessions/${id}`)).json.messages;
  expect(message.metadata.files).toMatchObject([{ name: "file.png", mediaType: "image/png", size: 2 }]);
  const fetched = await chat([user([{ type: "image_url", image_url: { url: "http://10.0.0.1/x" } }])]);
  expect([fetched.status, fetched.json.error.message]).toEqual([400, expect.stringContaining("data URL")]);
});
