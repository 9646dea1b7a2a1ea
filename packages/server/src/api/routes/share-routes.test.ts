import { afterAll, beforeAll, expect, it } from "vitest";
import { ApiServer } from "../testing/api-server.ts";
import { EventReader } from "../testing/event-reader.ts";

let api: ApiServer;
beforeAll(async () => {
  api = await ApiServer.start();
});
afterAll(() => api.stop());

async function shared(body: object = {}) {
  const begun = await api.begun("What is shared");
  const { json, status } = await api.ask("POST", `/api/v1/sessions/${begun.id}/shares`, body);
  expect(status).toBe(201);
  const share: { id: string; token: string } = json.share;
  const asked = (path: string) => api.ask("GET", `/api/v1${path}`, undefined, asReader(share.token));
  return { ...begun, share, asked };
}

/** A member of the workspace who does not manage it. */
const STRANGER = { "X-Test-Owner": "stranger", "X-Test-Role": "editor" };

/** A client with nothing but a link. */
function asReader(token: string) {
  return { "X-Share-Token": token, ...STRANGER };
}

it("a link gives read access to one session: its state, its events and its replay (S4.2)", async () => {
  const { id, runId, asked } = await shared();
  await api.answers(id, runId, "The answer");
  const whole = (await asked("/shared")).json;
  expect(whole.session.id).toBe(id);
  expect(whole.messages.map(({ content }: { content: string }) => content)).toEqual([
    "What is shared",
    "The answer",
  ]);
  const { json: owners } = await api.ask("GET", `/api/v1/sessions/${id}`);
  expect(whole.messages).toEqual(owners.messages);
  expect(whole.events).toHaveLength(owners.events.length);
  const { json: page } = await asked("/shared/events?limit=2");
  expect([page.events.length, page.next]).toEqual([2, "2"]);
  expect((await asked("/shared/replay?until=2")).json).toMatchObject({
    index: 2,
    last: whole.session.revision,
  });
  expect((await asked(`/shared?events_since=${whole.session.revision}`)).json.events).toEqual([]);
});

it("a link shows neither the ids of forks nor the URLs of agents", async () => {
  const { id, runId, share, asked } = await shared();
  // A message that waits for a run names the agent of the next one.
  await api.ask("POST", `/api/v1/sessions/${id}/messages`, { content: "And then?" });
  await api.answers(id, runId, "The answer");
  const { json: fork } = await api.ask("POST", `/api/v1/sessions/${id}/fork`, {});
  const { json: whole, text: owners } = await api.ask("GET", `/api/v1/sessions/${id}`);
  expect(owners).toContain(fork.session.id);
  expect(owners).toContain("http://127.0.0.1/supervisor");
  const until = whole.session.revision;
  const texts = [];
  for (const path of ["/shared", "/shared/events", `/shared/replay?until=${until}`])
    texts.push((await asked(path)).text);
  const reader = new EventReader(`${api.url}/api/v1/shared/stream`, { headers: asReader(share.token) });
  await reader.until(({ received }) => received.some(({ event }) => event === "ready"));
  const own = new EventReader(`${api.url}/api/v1/events?session_ids[]=${id}`);
  await own.until(({ received }) => received.some(({ event }) => event === "ready"));
  const { json: later } = await api.ask("POST", `/api/v1/sessions/${id}/fork`, {});
  await api.ask("POST", `/api/v1/sessions/${id}/messages`, { content: "More" });
  for (const each of [own, reader])
    await each.until((seen) => seen.events().some(({ type }) => type === "user_message"));
  texts.push(JSON.stringify(reader.events()));
  expect(JSON.stringify(own.events())).toContain(later.session.id);
  reader.close();
  own.close();
  for (const text of texts) {
    for (const hidden of [fork.session.id, later.session.id, "agentUrl", "http://127.0.0.1/supervisor"])
      expect(text).not.toContain(hidden);
    expect(text).not.toContain("children");
  }
});

it("a link gives access to nothing else: no other session, no list, no write (invariant 20)", async () => {
  const { id, share } = await shared();
  const { id: other } = await api.begun("Not shared");
  const headers = asReader(share.token);
  for (const [method, path, body] of [
    ["GET", `/sessions/${id}`],
    ["GET", `/sessions/${other}`],
    ["GET", `/sessions/${id}/shares`],
    ["POST", `/sessions/${id}/shares`, {}],
    ["POST", `/sessions/${id}/messages`, { content: "Hello" }],
    ["POST", `/sessions/${id}/fork`, {}],
    ["DELETE", `/sessions/${id}`],
    ["GET", `/events?session_ids[]=${id}`],
    ["POST", "/shared", {}],
    ["DELETE", "/shared"],
  ] as const)
    expect([path, (await api.ask(method, `/api/v1${path}`, body, headers)).status]).toEqual([path, 404]);
  expect((await api.ask("GET", "/api/v1/sessions", undefined, headers)).json.sessions).toEqual([]);
});

it("a wrong, revoked or expired token is refused with the same response", async () => {
  const { id, share, asked } = await shared();
  const { share: soon, asked: askedSoon } = await shared({
    expiresAt: new Date(Date.now() + 1_500).toISOString(),
  });
  await api.ask("DELETE", `/api/v1/sessions/${id}/shares/${share.id}`);
  await expect.poll(async () => (await askedSoon("/shared")).status, { timeout: 60_000 }).toBe(404);
  const answers = await Promise.all([
    asked("/shared"),
    askedSoon("/shared"),
    ...["x", share.id, `${share.token}x`].map((token) =>
      api.ask("GET", "/api/v1/shared", undefined, asReader(token)),
    ),
  ]);
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect((await api.ask("GET", "/api/v1/shared")).status).toBe(422);
  expect((await api.ask("GET", `/api/v1/sessions/${id}/shares`)).json.shares).toEqual([]);
  expect(soon.token).toMatch(/^[\w-]{43}$/);
});

it("a shared session disappears for its readers when deleted, and reappears when restored", async () => {
  const { id, asked } = await shared();
  await api.ask("DELETE", `/api/v1/sessions/${id}`);
  expect((await asked("/shared")).json).toMatchObject({
    status: 404,
    detail: expect.stringContaining("link"),
  });
  await api.ask("POST", `/api/v1/sessions/${id}/restore`);
  expect((await asked("/shared")).status).toBe(200);
});

it("a link is listed for its owner without its token, and only the owner can revoke it", async () => {
  const { id, share } = await shared();
  const { text, json } = await api.ask("GET", `/api/v1/sessions/${id}/shares`);
  expect(json.shares).toEqual([{ id: share.id, createdAt: expect.any(String) }]);
  expect(text).not.toContain(share.token);
  const recorded = JSON.stringify(await api.journal.read(`shares/${id}`, 0));
  expect(recorded).not.toContain(share.token);
  expect(
    (await api.ask("DELETE", `/api/v1/sessions/${id}/shares/${share.id}`, undefined, STRANGER)).status,
  ).toBe(404);
  expect((await api.ask("DELETE", `/api/v1/sessions/${id}/shares/none`)).status).toBe(404);
  const past = { expiresAt: "2001-01-01T00:00:00Z" };
  expect((await api.ask("POST", `/api/v1/sessions/${id}/shares`, past)).status).toBe(422);
});

it("a link can be followed live, and its streams end when it is revoked", async () => {
  const { id, runId, share } = await shared();
  const reader = new EventReader(`${api.url}/api/v1/shared/stream`, { headers: asReader(share.token) });
  await reader.until(({ received }) => received.some(({ event }) => event === "ready"));
  await api.answers(id, runId, "Live");
  await reader.until((seen) => seen.events().some(({ type }) => type === "agent_complete"));
  await api.ask("DELETE", `/api/v1/sessions/${id}/shares/${share.id}`);
  await reader.closed;
  const refused = await api.ask("GET", "/api/v1/shared/stream", undefined, asReader(share.token));
  expect(refused.status).toBe(404);
});
