import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { GuardedPlatform } from "../access/testing/guarded-platform.ts";
import { said as messageSaying } from "../access/testing/matrix-people.ts";
import { ApiServer } from "../api/testing/api-server.ts";

let server: ApiServer;
let platform: GuardedPlatform;
let [ann, bob] = ["", ""];
beforeAll(async () => {
  server = await ApiServer.start();
  platform = await GuardedPlatform.start({ PARLEY_RATE: "0" });
  ann = (await platform.key("ann", "home")).secret;
  bob = (await platform.key("bob", "home")).secret;
}, 120_000);
afterAll(async () => {
  await server.stop();
  await platform.stop();
});

const principal = (owner: string) => ({ owner, workspace: "default" });
const words = async (owner: string, id: string) =>
  (await server.sessions.state(principal(owner), id)).messages.map(({ content }) => content);

const post = (owner: string, path: string, body: unknown) =>
  server.ask("POST", `/api/v1/sessions${path}`, body, { "X-Test-Owner": owner });

const created = JSON.stringify({
  ...{ type: "session_created", payload: { workspace: "w", owner: "o", title: "" } },
});

/** The ways of the API to make a session with an id of the client's choice. */
const MADE = {
  create: (owner: string, id: string) => post(owner, "", { id }),
  import: (owner: string, id: string) => post(owner, "/import", { id, content: created }),
  fork: async (owner: string, id: string) => {
    const { json } = await post(owner, "", { id: `parent-of-the-forks-of-${owner}` });
    return post(owner, `/${json.session.id}/fork`, { id });
  },
};

/** The endpoints of other protocols, and the field that names the conversation there. */
const TALKED = {
  agui: (name: string, id: string, content: string) => ({
    body: { threadId: name, runId: id, messages: [{ id, role: "user", content }] },
  }),
  ai: (name: string, id: string, text: string) => ({
    body: { id: name, messages: [{ id, role: "user", parts: [{ type: "text", text }] }] },
  }),
  "v1/chat/completions": (name: string, _: string, content: string) => ({
    body: { model: "supervisor", stream: true, messages: [{ role: "user", content }] },
    headers: { "X-Session-Id": name },
  }),
};

type ProtocolAdapter = keyof typeof MADE | keyof typeof TALKED;

/** Says something in a conversation of this name, and returns its session; who listens is gone at once. */
async function said(door: ProtocolAdapter, owner: string, name: string, content: string): Promise<string> {
  if (door in MADE) {
    const made = await MADE[door as keyof typeof MADE](owner, name);
    expect(made.status, made.text).toBe(201);
    const { id } = made.json.session;
    // A run of an earlier message may still be active, and receives this one.
    expect([201, 202]).toContain(
      (await post(owner, `/${encodeURIComponent(id)}/messages`, { content })).status,
    );
    return id;
  }
  const id = `${owner}-${content}`;
  const { body, headers = {} }: { body: object; headers?: object } = TALKED[door as keyof typeof TALKED](
    name,
    id,
    content,
  );
  const leaving = new AbortController();
  const response = await fetch(`${server.url}/${door}`, {
    ...{ method: "POST", signal: leaving.signal, body: JSON.stringify(body) },
    headers: { "Content-Type": "application/json", "X-Test-Owner": owner, ...headers },
  });
  leaving.abort();
  expect(response.status).toBe(200);
  return response.headers.get("x-session-id") ?? "";
}

/** The endpoints at which a client may choose this name. */
function doorsFor(name: string): readonly ProtocolAdapter[] {
  return [
    ...(["agui", "ai"] as const),
    ...(/^[\x21-\x7e]+$/.test(name) ? (["v1/chat/completions"] as const) : []),
    ...(/^[\w-]{16,100}$/.test(name) ? (["create", "import", "fork"] as const) : []),
  ];
}

const name = fc.oneof(
  fc.uuid(),
  fc.string({ unit: fc.constantFrom("-", "_", "a", "0"), minLength: 16, maxLength: 100 }),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
);
const chosenAtDoors = name.chain((chosen) => {
  const door = fc.constantFrom(...doorsFor(chosen));
  return fc.tuple(fc.constant(chosen), door, door);
});
const met = new Set<ProtocolAdapter>();

it("a name chosen by a client belongs to its user in every protocol, whichever user chose it first", async () => {
  await fc.assert(
    fc.asyncProperty(chosenAtDoors, async ([chosen, first, second]) => {
      for (const door of [first, second]) met.add(door);
      const hers = await said(first, "ann", chosen, "Hers");
      const his = await said(second, "bob", chosen, "His");
      const [herWords, hisWords] = [await words("ann", hers), await words("bob", his)];
      expect(his).not.toBe(hers);
      expect([new Set(herWords), new Set(hisWords)]).toEqual([new Set(["Hers"]), new Set(["His"])]);
      // Found again by the name, and by its id, which is unique.
      expect(await said(first, "ann", chosen, "Hers")).toBe(hers);
      expect(await said(second, "bob", chosen, "His")).toBe(his);
      const other = { "X-Test-Owner": "bob" };
      const foreign = await server.ask(
        "GET",
        `/api/v1/sessions/${encodeURIComponent(hers)}`,
        undefined,
        other,
      );
      expect(foreign.status).toBe(404);
      for (const [session, headers] of [
        [hers, {}],
        [his, other],
      ] as const) {
        // Links and exports are to the session itself, whatever it is called by others.
        const path = `/api/v1/sessions/${encodeURIComponent(session)}`;
        const { json } = await server.ask("POST", `${path}/shares`, {}, headers);
        const shared = await server.ask("GET", "/api/v1/shared", undefined, {
          ...{ "X-Share-Token": json.share.token, "X-Test-Owner": "stranger" },
        });
        expect(shared.json.session.id).toBe(session);
        const { text } = await server.ask("GET", `${path}/export`, undefined, headers);
        expect(text).toContain(session === hers ? "Hers" : "His");
        expect(text).not.toContain(session === hers ? '"His"' : '"Hers"');
      }
    }),
    { numRuns: 60 },
  );
  expect([...met].sort()).toEqual([...Object.keys(MADE), ...Object.keys(TALKED)].sort());
});

const id = fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 });

it("the ids of imported runs, edits and forks are the new session's own", async () => {
  const running = await server.begun();
  await fc.assert(
    fc.asyncProperty(fc.oneof(id, fc.constant(running.runId)), id, id, async (runId, contextId, retryOf) => {
      const about = { agent: "a", agentUrl: "u", inputSnapshotHash: "h", messageId: "m" };
      const editHistory = [{ sessionId: contextId, messageId: "m" }];
      const events = [
        { type: "session_created", payload: { workspace: "w", owner: "o", title: "", contextId } },
        { type: "user_message", payload: { messageId: "m", content: "Hi", editHistory } },
        { type: "fork", payload: { parentId: contextId, messages: 1 } },
        { type: "edit", payload: { messageId: "m", content: "Hi", childId: contextId } },
        { type: "agent_start", payload: { runId, contextId, retryOf, ...about } },
        { type: "agent_token", payload: { runId, artifactId: "a", text: "Hi" } },
      ];
      const content = events.map((event) => JSON.stringify(event)).join("\n");
      const { status, json } = await server.ask("POST", "/api/v1/sessions/import", { content });
      expect(status).toBe(201);
      const state = await server.sessions.state(principal("ann"), json.session.id);
      const [run] = state.runs.values();
      const edited = state.messages[0]?.editHistory?.[0]?.sessionId;
      for (const own of [run?.id, run?.contextId, run?.retryOf, edited])
        expect(own?.startsWith(`${state.id}/`)).toBe(true);
      expect([run?.status, state.owner, state.contextId]).toEqual(["cancelled", "ann", undefined]);
      const recorded = await server.sessions.events(principal("ann"), state.id, 0, 100);
      expect(recorded.map(({ event }) => event.type)).toEqual([
        ...["session_created", "user_message", "agent_start", "agent_token", "agent_cancelled"],
      ]);
    }),
    { numRuns: 50 },
  );
  const kept = await server.sessions.state(principal("ann"), running.id);
  expect([...kept.runs.values()].map(({ status }) => status)).toEqual(["running"]);
});

/** What callers of A2A may name: their tasks in v0.1, and their contexts everywhere. */
const NAMED = {
  "v0.1 task id": (chosen: string, text: string) => ({
    method: "tasks/send",
    params: { id: chosen, message: { role: "user", parts: [{ type: "text", text }] } },
  }),
  "v0.3 contextId": (contextId: string, text: string) => ({
    method: "message/send",
    params: { message: { ...messageSaying(text), contextId } },
  }),
};

it.each(Object.keys(NAMED) as (keyof typeof NAMED)[])(
  "a %s belongs to its caller only, whichever user chose it first",
  { timeout: 120_000 },
  async (kind) => {
    const send = async (key: string, chosen: string, text: string) => {
      const body = { jsonrpc: "2.0", id: 1, ...NAMED[kind](chosen, text) };
      const { json, text: answer } = await platform.ask("POST", "/", { key, body });
      expect(json.result?.id, answer).toEqual(expect.any(String));
      return { taskId: json.result.id as string, answer };
    };
    const recorded = async (key: string) => {
      const { json } = await platform.ask("GET", "/api/v1/sessions?limit=100", { key });
      const read = json.sessions.map(({ id: session }: { id: string }) =>
        platform.ask("GET", `/api/v1/sessions/${encodeURIComponent(session)}/export`, { key }),
      );
      return (await Promise.all(read)).map(({ text }) => text).join("\n");
    };
    let round = 0;
    const used = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uuid(), id), async (chosen) => {
        // Short ids come up again, and a task that has ended takes no second message.
        fc.pre(!used.has(chosen));
        used.add(chosen);
        const [hers, his] = [`hers${++round}`, `his${round}`];
        const hersFirst = await send(ann, chosen, hers);
        const hisOwn = await send(bob, chosen, his);
        expect(hersFirst.answer).not.toContain(his);
        expect(hisOwn.answer).not.toContain(hers);
        const get = { jsonrpc: "2.0", id: 1, method: "tasks/get" };
        const again = { key: ann, body: { ...get, params: { id: hersFirst.taskId } } };
        expect((await platform.ask("POST", "/", again)).text).not.toContain(his);
        await expect.poll(() => recorded(ann), { timeout: 60_000 }).toContain(hers);
        await expect.poll(() => recorded(bob), { timeout: 60_000 }).toContain(his);
      }),
      { numRuns: 8 },
    );
    expect(await recorded(ann)).not.toMatch(/\bhis\d/);
    expect(await recorded(bob)).not.toMatch(/\bhers\d/);
  },
);
