import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiServer } from "../testing/api-server.ts";

let api: ApiServer;
beforeAll(async () => {
  api = await ApiServer.start();
});
afterAll(() => api.stop());

const create = async (title: string, headers: Record<string, string> = {}) =>
  (await api.ask("POST", "/api/v1/sessions", { title }, headers)).json.session;

describe("a session", () => {
  it("is created, read, changed, archived, deleted and restored (S4.14, S4.20)", async () => {
    const made = await api.ask("POST", "/api/v1/sessions", {
      title: "Plans",
      agent: "writer",
      config: { tone: 1 },
    });
    expect(made.status).toBe(201);
    const { id } = made.json.session;
    const path = `/api/v1/sessions/${id}`;
    expect(made.headers.get("location")).toBe(path);
    expect(made.json.session).toMatchObject({
      title: "Plans",
      revision: 1,
      metadata: { messageCount: 0, agent: "writer", config: { tone: 1 } },
    });
    const changed = await api.ask("PATCH", path, {
      title: "Better",
      agent: "critic",
      config: {},
      archived: true,
    });
    expect(changed.json.session).toMatchObject({ title: "Better", status: "archived", revision: 5 });
    expect((await api.ask("PATCH", path, { archived: false })).json.session.status).toBe("active");
    const read = await api.ask("GET", path);
    expect(read.json.events.map(({ type }: { type: string }) => type)).toEqual([
      "session_created",
      "session_renamed",
      "agent_switched",
      "config_changed",
      "session_archived",
      "session_restored",
    ]);
    expect(read.json.events.map(({ index }: { index: number }) => index)).toEqual([1, 2, 3, 4, 5, 6]);
    expect((await api.ask("DELETE", path)).status).toBe(204);
    expect((await api.ask("GET", path)).json).toMatchObject({ status: 410, code: "gone" });
    expect((await api.ask("POST", `${path}/fork`, {})).status).toBe(410);
    expect((await api.ask("DELETE", path)).status).toBe(410);
    expect((await api.ask("POST", `${path}/restore`)).json.session.status).toBe("active");
    expect((await api.ask("GET", path)).status).toBe(200);
  });

  it("is inaccessible to other users by any request (invariant 20)", async () => {
    const { id, runId, messageId } = await api.begun();
    const path = `/api/v1/sessions/${id}`;
    const others = { "X-Test-Owner": "bob" };
    const missing = await api.ask("GET", "/api/v1/sessions/ses_nowhere", undefined, others);
    for (const [method, rest, body] of [
      ["GET", "", undefined],
      ["GET", "/events", undefined],
      ["GET", "/replay?until=1", undefined],
      ["GET", "/export", undefined],
      ["GET", "/runs", undefined],
      ["GET", `/runs/${runId}`, undefined],
      ["PATCH", "", { title: "Mine" }],
      ["DELETE", "", undefined],
      ["POST", "/restore", undefined],
      ["POST", "/messages", { content: "Hi" }],
      ["PUT", `/messages/${messageId}`, { content: "Hi" }],
      ["POST", "/fork", {}],
      ["POST", "/branch", { content: "Hi" }],
      ["POST", "/compare", { content: "Hi", agents: ["writer"] }],
      ["POST", `/runs/${runId}/cancel`, {}],
      ["POST", `/runs/${runId}/retry`, {}],
      ["POST", "/approvals/x", { decision: "approved" }],
    ] as const) {
      const answer = await api.ask(method, path + rest, body, others);
      expect([method, rest, answer.status]).toEqual([method, rest, 404]);
      expect(answer.json.detail.replace(id, "ses_nowhere")).toBe(missing.json.detail);
    }
    expect((await api.ask("GET", `/api/v1/events?session_ids[]=${id}`, undefined, others)).status).toBe(404);
    expect((await api.ask("GET", "/api/v1/sessions", undefined, others)).json.sessions).toEqual([]);
    expect((await api.ask("GET", "/api/v1/sessions?since=0", undefined, others)).json.new).toEqual([]);
    expect((await api.ask("GET", "/api/v1/search?q=Hello", undefined, others)).json.hits).toEqual([]);
    expect((await api.ask("GET", "/api/v1/runs", undefined, others)).json.runs).toEqual([]);
  });

  it("is sent again only if it has changed: ETag and If-None-Match", async () => {
    const { id } = await create("Tagged");
    const path = `/api/v1/sessions/${id}`;
    const etag = (await api.ask("GET", path)).headers.get("etag") ?? "";
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, "*"])
      expect((await api.ask("GET", path, undefined, { "If-None-Match": tag })).status).toBe(304);
    await api.ask("PATCH", path, { title: "Changed" });
    const changed = await api.ask("GET", path, undefined, { "If-None-Match": etag });
    expect([changed.status, changed.json.session.title]).toEqual([200, "Changed"]);
    expect(changed.headers.get("etag")).not.toBe(etag);
  });

  it("returns the events since an index, and all of them to a client that is ahead (S4.13)", async () => {
    const { id, runId } = await api.begun();
    const before = (await api.ask("GET", `/api/v1/sessions/${id}`)).json;
    await api.answers(id, runId, "Good day");
    const since = (await api.ask("GET", `/api/v1/sessions/${id}?events_since=${before.session.revision}`))
      .json;
    const all = (await api.ask("GET", `/api/v1/sessions/${id}`)).json;
    expect([...before.events, ...since.events]).toEqual(all.events);
    expect([...before.messages, ...since.messages]).toEqual(all.messages);
    expect(since.messages).toMatchObject([{ role: "assistant", content: "Good day", index: 1 }]);
    expect(since.session).toEqual(all.session);
    const ahead = (await api.ask("GET", `/api/v1/sessions/${id}?events_since=1000`)).json;
    expect(ahead).toEqual({ ...all, reset: true });
  });

  it("is created once per key, however often it is repeated (invariant 4)", async () => {
    const headers = { "Idempotency-Key": "create-once" };
    const answers = await Promise.all([1, 2, 3, 4].map(() => create("Once", headers)));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    const id = "ses_0123456789abcdef0123456789abcdef";
    const chosen = await api.ask("POST", "/api/v1/sessions", { id, title: "A" });
    expect(chosen.json.session.id).toBe(id);
    expect(await api.ask("POST", "/api/v1/sessions", { id, title: "A" })).toMatchObject({
      status: 201,
      json: chosen.json,
    });
    const renamed = { "Idempotency-Key": "rename" };
    for (let time = 0; time < 3; time++)
      await api.ask("PATCH", `/api/v1/sessions/${id}`, { title: "B" }, renamed);
    expect((await api.ask("GET", `/api/v1/sessions/${id}`)).json.session.revision).toBe(2);
    const deleted = { "Idempotency-Key": "delete" };
    for (let time = 0; time < 3; time++)
      expect((await api.ask("DELETE", `/api/v1/sessions/${id}`, undefined, deleted)).status).toBe(204);
  });

  it("belongs to its owner under any chosen id, and does not reveal whether others chose the same id", async () => {
    const file = async (owner: string, id: string) => {
      const headers = { "X-Test-Owner": owner };
      const answer = await api.ask("POST", "/api/v1/sessions", { id }, headers);
      const path = `/api/v1/sessions/${answer.json.session?.id}`;
      const { text } = await api.ask("GET", `${path}/export`, undefined, headers);
      const imported = { id: `${id}-imported`, content: text };
      const others = await Promise.all([
        api.ask("POST", `${path}/fork`, { id: `${id}-forked` }, headers),
        api.ask("POST", "/api/v1/sessions/import", imported, headers),
      ]);
      return [answer, ...others].map(({ status, json }) => ({ status, id: json.session?.id }));
    };
    const name = "the-session-of-a-customer";
    const [ann, bob] = [await file("ann", name), await file("bob", name)];
    const own = { status: 201, id: expect.stringMatching(/^named\.[\w-]{32}$/) };
    expect([...ann, ...bob]).toEqual(Array(6).fill(own));
    expect(new Set([...ann, ...bob].map(({ id }) => id)).size).toBe(6);
    const random = "3f0e8f6c-9d0b-4f3c-8a53-6f1f5f0d6a11";
    const [hers] = await file("ann", random);
    expect(hers).toEqual({ status: 201, id: random });
    expect((await file("bob", random))[0]).toEqual(own);
  });

  it.each([
    [{ title: 5 }, "body.title"],
    [{ title: "x".repeat(501) }, "body.title"],
    [{ id: "short" }, "body.id"],
    [{ config: [] }, "body.config"],
    [[], "body"],
    ["null", "body"],
  ])("is refused with the path of the invalid field: %j", async (body, path) => {
    const answer = await api.ask("POST", "/api/v1/sessions", body);
    expect(answer).toMatchObject({ status: 422, json: { code: "invalid", errors: [{ path }] } });
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
  });

  it("is refused with an unknown agent", async () => {
    expect((await api.ask("POST", "/api/v1/sessions", { agent: "nobody" })).status).toBe(404);
  });
});

describe("the session list", () => {
  it("is paged by cursor without missing or repeating sessions while they are added and changed", async () => {
    const owner = { "X-Test-Owner": "pager" };
    const made: string[] = [];
    for (let number = 0; number < 25; number++) made.push((await create(`S${number}`, owner)).id);
    const seen: string[] = [];
    let query = "?limit=10";
    let since: string | undefined;
    for (;;) {
      const { json } = await api.ask("GET", `/api/v1/sessions${query}`, undefined, owner);
      since ??= json.cursor;
      seen.push(...json.sessions.map(({ id }: { id: string }) => id));
      await create("meanwhile", owner);
      await api.ask("PATCH", `/api/v1/sessions/${made[0]}`, { title: "again" }, owner);
      if (json.next === null) break;
      query = `?limit=10&cursor=${encodeURIComponent(json.next)}`;
    }
    // A session that changes meanwhile moves in the list, and is reported with the changes since the list started.
    expect(seen).toEqual(made.slice(1).toReversed());
    const { json } = await api.ask("GET", `/api/v1/sessions?since=${since}`, undefined, owner);
    expect(json.updated.map(({ id }: { id: string }) => id)).toEqual([made[0]]);
    expect(json.new).toHaveLength(3);
  });

  it("returns new, updated and deleted sessions since a cursor, and resets a foreign cursor (S4.13)", async () => {
    const owner = { "X-Test-Owner": "syncer" };
    const [kept, dropped] = [await create("kept", owner), await create("dropped", owner)];
    const sync = async (since: string) =>
      (await api.ask("GET", `/api/v1/sessions?since=${since}`, undefined, owner)).json;
    let first = await sync("0");
    while (first.more) first = await sync(first.cursor);
    await api.ask("PATCH", `/api/v1/sessions/${kept.id}`, { title: "renamed" }, owner);
    await api.ask("DELETE", `/api/v1/sessions/${dropped.id}`, undefined, owner);
    const added = await create("added", owner);
    const second = await sync(first.cursor);
    expect(second.new.map(({ id }: { id: string }) => id)).toEqual([added.id]);
    expect(second.updated).toMatchObject([{ id: kept.id, title: "renamed" }]);
    expect(second).toMatchObject({ deleted: [dropped.id], reset: false, more: false });
    expect(await sync(second.cursor)).toMatchObject({
      new: [],
      updated: [],
      deleted: [],
      cursor: second.cursor,
    });
    const future = second.cursor.replace(/\..*/, ".zzzz");
    expect(await sync(future)).toMatchObject({ reset: true, cursor: second.cursor });
    const foreign = (await api.ask("GET", "/api/v1/sessions?since=0")).json.cursor;
    expect(await sync(foreign)).toMatchObject({ reset: true });
    // As a server gave it out that was set up anew since, though there are more changes now than it knew.
    const elsewhere = await ApiServer.start();
    const former = (await elsewhere.ask("GET", "/api/v1/sessions?since=0", undefined, owner)).json.cursor;
    await elsewhere.stop();
    expect(await sync(former)).toMatchObject({ reset: true, cursor: second.cursor });
    expect((await api.ask("GET", "/api/v1/sessions?since=nonsense")).status).toBe(422);
  });

  it("is served to old clients at /sessions (S4.31)", async () => {
    const { id } = await api.begun("For old clients");
    const list = await api.ask("GET", "/sessions?limit=2");
    expect(Object.keys(list.json)).toEqual(["sessions"]);
    expect(list.json.sessions).toHaveLength(2);
    const one = await api.ask("GET", `/sessions/${id}`);
    expect(Object.keys(one.json)).toEqual(["session", "messages", "events"]);
    expect(one.json.messages).toMatchObject([{ content: "For old clients" }]);
    const etag = one.headers.get("etag") ?? "";
    expect((await api.ask("GET", `/sessions/${id}`, undefined, { "If-None-Match": etag })).status).toBe(304);
    expect((await api.ask("GET", "/sessions/none")).status).toBe(404);
    expect((await api.ask("GET", "/sessions?limit=0")).status).toBe(422);
    expect((await api.ask("GET", "/sessionsx")).text).toBe("not the API's");
  });
});
