import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openMemoryJournal } from "@parley/journal";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { GuardedPlatform } from "../access/testing/guarded-platform.ts";
import { EventReader } from "../api/testing/event-reader.ts";
import { journalTables } from "../journal-tables.ts";
import { Quotas } from "./quotas.ts";

const LIMITS = {
  ...{ PARLEY_USER_BYTES: "40000", PARLEY_WORKSPACE_BYTES: "60000" },
  ...{ PARLEY_USER_SESSIONS: "4", PARLEY_WORKSPACE_SESSIONS: "6" },
  ...{ PARLEY_USER_RUNS: "2", PARLEY_WORKSPACE_RUNS: "3" },
  ...{ PARLEY_USER_STREAMS: "2", PARLEY_WORKSPACE_STREAMS: "3" },
};

/** A call by JSON-RPC, which a stream answers for some methods. */
const callOf = (platform: GuardedPlatform, key: string) => (method: string, params: object) =>
  platform.ask("POST", "/", {
    ...{ key, headers: { "A2A-Version": "1.0" } },
    body: { jsonrpc: "2.0", id: 1, method, params },
  });
const messageOf = (parts: readonly object[], more: object = {}) => ({
  message: { messageId: randomUUID(), role: "ROLE_USER", parts, ...more },
});
const statusesOf = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort();

it("a user has one limit of open tasks across all workspaces, separate from other users (attack 7)", async () => {
  const journal = openMemoryJournal({ projections: journalTables() });
  const none = { bytes: 1e9, sessions: 1e9, runs: 1e9, streams: 1e9 };
  const quotas = new Quotas(journal.database, { user: { ...none, runs: 2 }, workspace: none });
  const status = { state: "TASK_STATE_WORKING", timestamp: new Date(0).toISOString() };
  for (const workspace of ["one", "two"]) {
    const created = { owner: `supervisor/${workspace}/usr_ann`, dialect: "1.0", agent: "supervisor" };
    const task = { id: workspace, contextId: workspace, status };
    await journal.append(`task/${workspace}`, [{ created }, { task }]);
  }
  const admit = (owner: string, workspace: string) =>
    quotas.admit({ owner, workspace }, { runs: 1, sessions: 0, bytes: 0 });
  await expect(admit("usr_ann", "three")).rejects.toThrow("PARLEY_USER_RUNS");
  using _ = await admit("usr_bob", "two");
  await journal.close();
});

describe.each(["SQLite", "Postgres"])("the quota on %s (attack 7)", (database) => {
  let platform: GuardedPlatform;
  let other: GuardedPlatform | undefined;
  let drop = async () => {};
  beforeAll(async () => {
    if (database === "SQLite") {
      platform = await GuardedPlatform.start(LIMITS);
      return;
    }
    const fresh = await freshDatabase(inject("postgresUrl"));
    drop = fresh.drop;
    platform = await GuardedPlatform.start({ ...LIMITS, DATABASE_URL: fresh.url });
    other = await GuardedPlatform.start({ ...LIMITS, DATABASE_URL: fresh.url });
  }, 120_000);
  afterAll(async () => {
    await other?.stop();
    await platform.stop();
    await drop();
  });

  const post = (key: string, path: string, body: unknown, node = platform) =>
    node.ask("POST", `/api/v1${path}`, { key, body });
  const upload = (key: string, bytes: number, fill: string) =>
    platform.ask("POST", "/api/v1/files", {
      ...{ key, body: fill.repeat(bytes) },
      headers: { "Content-Type": "text/plain", "X-File-Name": "a.txt" },
    });

  it("limits the sessions of a user and of a workspace, until some are deleted, on every node", async () => {
    const [ann, bob] = [await platform.key("ann", "one"), await platform.key("bob", "one")];
    const made = await Promise.all(Array.from({ length: 6 }, () => post(ann.secret, "/sessions", {})));
    expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 429, 429]);
    const refused = made.find(({ status }) => status === 429);
    expect(refused?.json.detail).toContain("You have 4 of 4 sessions (PARLEY_USER_SESSIONS)");
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
    if (other)
      await expect.poll(async () => (await post(ann.secret, "/sessions", {}, other)).status).toBe(429);
    for (let count = 0; count < 2; count++)
      expect((await post(bob.secret, "/sessions", {})).status).toBe(201);
    expect((await post(bob.secret, "/sessions", {})).json.detail).toContain("PARLEY_WORKSPACE_SESSIONS");
    const id = made.find(({ status }) => status === 201)?.json.session.id;
    await platform.ask("DELETE", `/api/v1/sessions/${id}`, { key: ann.secret });
    expect((await post(ann.secret, "/sessions", {})).status).toBe(201);
  });

  it("limits the bytes of uploads and messages together, without affecting others", async () => {
    const [ann, bob] = [await platform.key("ann", "two"), await platform.key("bob", "two")];
    expect((await upload(ann.secret, 30_000, "a")).status).toBe(201);
    const much = await upload(ann.secret, 30_000, "b");
    expect([much.status, much.json.detail]).toEqual([413, expect.stringContaining("PARLEY_USER_BYTES")]);
    // What is there already takes nothing more, but it is not known before it came.
    const { session } = (await post(ann.secret, "/sessions", {})).json;
    const said = await post(ann.secret, `/sessions/${session.id}/messages`, { content: "x".repeat(20_000) });
    expect([said.status, said.json.code]).toEqual([413, "too_large"]);
    expect((await post(ann.secret, `/sessions/${session.id}/messages`, { content: "Hello" })).status).toBe(
      201,
    );
    expect((await upload(bob.secret, 25_000, "c")).status).toBe(201);
    expect((await upload(bob.secret, 14_000, "d")).json.detail).toContain("PARLEY_WORKSPACE_BYTES");
    // Whoever has too much can still tidy up.
    expect((await platform.ask("DELETE", `/api/v1/sessions/${session.id}`, { key: ann.secret })).status).toBe(
      204,
    );
  });

  it("limits the sessions that A2A calls create, and records each admitted call", async () => {
    const ann = await platform.key("ann", "seven");
    const call = callOf(platform, ann.secret);
    const listed = async (): Promise<{ id: string; metadata: { messageCount: number } }[]> =>
      (await platform.ask("GET", "/api/v1/sessions", { key: ann.secret })).json.sessions;
    const answered = async () =>
      (await listed()).filter(({ metadata }) => metadata.messageCount === 2).length;
    const contexts: string[] = [];
    for (let count = 0; count < 4; count++) {
      const { status, json, text } = await call("SendMessage", messageOf([{ text: "Hello" }]));
      expect(status, text).toBe(200);
      contexts.push(json.result.task.contextId);
      // The run is open until its answer is in the record.
      await expect.poll(answered, { timeout: 60_000 }).toBe(count + 1);
    }
    const refused = await call("SendMessage", messageOf([{ text: "Hello" }]));
    expect([refused.status, refused.json.error.message]).toEqual([
      429,
      expect.stringContaining("PARLEY_USER_SESSIONS"),
    ]);
    const [contextId] = contexts;
    expect((await call("SendMessage", messageOf([{ text: "And?" }], { contextId }))).status).toBe(200);
    const counts = async () => (await listed()).map(({ metadata }) => metadata.messageCount).sort();
    await expect.poll(counts, { timeout: 60_000 }).toEqual([2, 2, 2, 4]);
    // What is deleted makes room for another, and does not come back beside it.
    const id = (await listed())[0]?.id;
    await platform.ask("DELETE", `/api/v1/sessions/${id}`, { key: ann.secret });
    expect((await post(ann.secret, "/sessions", {})).status).toBe(201);
    expect((await post(ann.secret, `/sessions/${id}/restore`, {})).status).toBe(429);
  });

  it("counts the bytes of copies, configurations and imports", async () => {
    const [ann, bob] = [await platform.key("ann", "eight"), await platform.key("bob", "nine")];
    const { session } = (await post(ann.secret, "/sessions", {})).json;
    const path = `/sessions/${session.id}`;
    const { run, message } = (await post(ann.secret, `${path}/messages`, { content: "x ".repeat(7_000) }))
      .json;
    const ended = async () =>
      (await platform.ask("GET", `/api/v1${path}/runs/${run.id}`, { key: ann.secret })).json.run.status;
    await expect.poll(ended, { timeout: 60_000 }).toBe("completed");
    expect((await post(ann.secret, `${path}/fork`, {})).status).toBe(201);
    const copies = [
      await post(ann.secret, `${path}/fork`, {}),
      await post(ann.secret, `${path}/runs/${run.id}/retry`, {}),
      await post(ann.secret, `${path}/branch`, { content: "Hello", messageId: message.id }),
    ];
    for (const { status, json } of copies)
      expect([status, json.detail]).toEqual([413, expect.stringContaining("PARLEY_USER_BYTES")]);

    const config = { note: "x".repeat(50_000) };
    const { id } = (await post(bob.secret, "/sessions", {})).json.session;
    const large: readonly (readonly [string, object])[] = [
      ["session_created", { workspace: "w", owner: "o", title: "x" }],
      ["user_message", { messageId: "m", content: "x".repeat(50_000) }],
    ];
    const content = large.map(([type, payload]) => JSON.stringify({ type, payload })).join("\n");
    const configured = [
      await platform.ask("PATCH", `/api/v1/sessions/${id}`, { key: bob.secret, body: { config } }),
      await post(bob.secret, "/sessions", { config }),
      await post(bob.secret, "/sessions/import", { content }),
    ];
    expect(statusesOf(configured)).toEqual([413, 413, 413]);
  });

  it("counts all parts of an A2A message", async () => {
    const ann = await platform.key("ann", "ten");
    const data = { text: "x".repeat(50_000) };
    const { status, json } = await callOf(platform, ann.secret)("SendMessage", messageOf([{ data }]));
    expect([status, json.error.message]).toEqual([413, expect.stringContaining("PARLEY_USER_BYTES")]);
  });

  it("keeps idempotency keys of the same name in two workspaces apart", async () => {
    const keys = [await platform.key("ci", "eleven"), await platform.key("ci", "twelve")];
    for (const { secret } of keys) {
      const create = () =>
        platform.ask("POST", "/api/v1/sessions", {
          ...{ key: secret, body: {}, headers: { "Idempotency-Key": "build" } },
        });
      const made = await create();
      expect(made.status, made.text).toBe(201);
      expect((await create()).json.session.id).toBe(made.json.session.id);
    }
  });

  it("accepts an upload of unknown length that fits, and refuses it once it exceeds the limit", async () => {
    const ann = await platform.key("ann", "six");
    const chunked = (bytes: number) =>
      fetch(`${platform.url}/api/v1/files`, {
        ...{ method: "POST", duplex: "half", body: new Blob(["x".repeat(bytes)]).stream() },
        headers: {
          ...{ Authorization: `Bearer ${ann.secret}`, "Content-Type": "text/plain" },
          "X-File-Name": "a.txt",
        },
      } as RequestInit);
    expect((await chunked(1_000)).status).toBe(201);
    expect((await chunked(60_000)).status).toBe(413);
    expect((await chunked(2_000)).status).toBe(201);
  });

  it("limits the event streams of a user and of a workspace", async () => {
    const [ann, bob] = [await platform.key("ann", "four"), await platform.key("bob", "four")];
    const open = (key: string) => {
      const headers = { Authorization: `Bearer ${key}` };
      return new EventReader(`${platform.url}/api/v1/events`, { headers });
    };
    const readers = [open(ann.secret), open(ann.secret), open(bob.secret)];
    for (const reader of readers) await reader.until(({ received }) => received.length > 0);
    const events = async (key: string) => (await platform.ask("GET", "/api/v1/events", { key })).json.detail;
    expect(await events(ann.secret)).toContain("PARLEY_USER_STREAMS");
    expect(await events(bob.secret)).toContain("PARLEY_WORKSPACE_STREAMS");
    for (const reader of readers) reader.close();
  });
});

describe.each(["SQLite", "Postgres"])("the quota on %s with slow answers (attack 7)", (database) => {
  let platform: GuardedPlatform;
  let drop = async () => {};
  beforeAll(async () => {
    const fresh = database === "Postgres" ? await freshDatabase(inject("postgresUrl")) : undefined;
    drop = fresh?.drop ?? drop;
    platform = await GuardedPlatform.start({
      // One word a second: no run ends during a test.
      ...{ ...LIMITS, PARLEY_MODEL: "offline:1", PARLEY_USER_ACTIVE_RUNS: "1", PARLEY_RATE: "0" },
      ...{ PARLEY_USER_RUNS: "3", PARLEY_WORKSPACE_RUNS: "4", PARLEY_USER_SESSIONS: "5" },
      ...(fresh && { DATABASE_URL: fresh.url }),
    });
  }, 120_000);
  afterAll(async () => {
    await platform.stop();
    await drop();
  });

  const begin = (key: string, more: object = {}) =>
    callOf(platform, key)("SendMessage", {
      ...messageOf([{ text: "Tell me all that you can do" }], more),
      configuration: { returnImmediately: true },
    });
  const begun = async (key: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => begin(key)));

  it("limits concurrently open runs, and lets them be cancelled", async () => {
    const ann = await platform.key("ann", "zero");
    const post = (path: string, body: object) =>
      platform.ask("POST", `/api/v1/sessions${path}`, { key: ann.secret, body });
    const sessions: string[] = [];
    for (let count = 0; count < 5; count++) sessions.push((await post("", {})).json.session.id);
    const say = (id: string) => post(`/${id}/messages`, { content: "Tell me all that you can do" });
    const said = await Promise.all(sessions.map(say));
    expect(statusesOf(said)).toEqual([201, 201, 201, 429, 429]);
    const refused = said.findIndex(({ status }) => status === 429);
    expect(said[refused]?.json.detail).toContain("PARLEY_USER_RUNS");
    const begun = said.findIndex(({ status }) => status === 201);
    const run = said[begun]?.json.run.id;
    expect((await post(`/${sessions[begun]}/runs/${run}/cancel`, {})).status).toBe(200);
    await expect
      .poll(async () => (await say(sessions[refused] ?? "")).status, { timeout: 60_000, interval: 250 })
      .toBe(201);
  });

  it("limits concurrently open A2A tasks, and lets them be cancelled", async () => {
    const ann = await platform.key("ann", "one");
    const sent = await begun(ann.secret, 5);
    expect(statusesOf(sent)).toEqual([200, 200, 200, 429, 429]);
    const refused = sent.find(({ status }) => status === 429);
    expect(refused?.json.error.message).toContain("PARLEY_USER_RUNS");
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
    const call = callOf(platform, ann.secret);
    for (const { json } of sent)
      if (json.result) expect((await call("CancelTask", { id: json.result.task.id })).status).toBe(200);
    await expect
      .poll(async () => (await begin(ann.secret)).status, { timeout: 60_000, interval: 250 })
      .toBe(200);
  });

  it("limits runs and tasks together, including queued ones", async () => {
    const ann = await platform.key("ann", "two");
    for (let count = 0; count < 2; count++) {
      const body = { key: ann.secret, body: {} };
      const { id } = (await platform.ask("POST", "/api/v1/sessions", body)).json.session;
      const said = { key: ann.secret, body: { content: "Tell me all that you can do" } };
      expect((await platform.ask("POST", `/api/v1/sessions/${id}/messages`, said)).status).toBe(201);
    }
    expect(statusesOf(await begun(ann.secret, 3))).toEqual([200, 429, 429]);
  });

  it("limits the sessions that open tasks will create", async () => {
    const ann = await platform.key("ann", "three");
    for (let count = 0; count < 3; count++)
      await platform.ask("POST", "/api/v1/sessions", { key: ann.secret, body: {} });
    const sent = await begun(ann.secret, 3);
    expect(statusesOf(sent)).toEqual([200, 200, 429]);
    expect(sent.find(({ status }) => status === 429)?.json.error.message).toContain("PARLEY_USER_SESSIONS");
    const made = await platform.ask("POST", "/api/v1/sessions", { key: ann.secret, body: {} });
    expect([made.status, made.json.detail]).toEqual([429, expect.stringContaining("PARLEY_USER_SESSIONS")]);
  });

  it("counts the bytes of messages to an open task", async () => {
    const ann = await platform.key("ann", "four");
    const { id: taskId } = (await begin(ann.secret)).json.result.task;
    const call = callOf(platform, ann.secret);
    const { status, json } = await call("SendMessage", messageOf([{ text: "x".repeat(50_000) }], { taskId }));
    expect([status, json.error.message]).toEqual([413, expect.stringContaining("PARLEY_USER_BYTES")]);
  });

  it("counts the streams of every protocol together, even without a request limit", async () => {
    const ann = await platform.key("ann", "five");
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    const opened = async (path: string, body?: object) => {
      const { status, body: stream } = await fetch(`${platform.url}${path}`, {
        ...{ method: body ? "POST" : "GET", signal: leaving.signal },
        headers: {
          ...{ Authorization: `Bearer ${ann.secret}`, "A2A-Version": "1.0", Accept: "text/event-stream" },
          ...(body && { "Content-Type": "application/json" }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      if (status !== 200) await stream?.cancel();
      return status;
    };
    const params = messageOf([{ text: "Tell me all that you can do" }]);
    const { id } = (await begin(ann.secret)).json.result.task;
    const rpc = (method: string, asked: object) => ({ jsonrpc: "2.0", id: 1, method, params: asked });
    const input = { threadId: "t", runId: "r", state: {}, tools: [], context: [], forwardedProps: {} };
    const streams = [
      () => opened("/", rpc("SubscribeToTask", { id })),
      () => opened("/", rpc("SendStreamingMessage", params)),
      () => opened("/a2a/rest/message:stream", params),
      () => opened("/api/v1/events"),
      () =>
        opened("/v1/chat/completions", {
          model: "supervisor",
          stream: true,
          messages: [{ role: "user", content: "Hello" }],
        }),
      () => opened("/agui", { ...input, messages: [{ id: "m", role: "user", content: "Hello" }] }),
      () =>
        opened("/ai", {
          id: "c",
          messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "Hi" }] }],
        }),
    ];
    const statuses = [];
    for (const open of streams) statuses.push(await open());
    expect(statuses).toEqual([200, 200, 429, 429, 429, 429, 429]);
    leaving.abort();
    await expect
      .poll(async () => (await platform.ask("GET", "/api/v1/events", { key: ann.secret })).status)
      .toBe(200);
  });
});

describe.each(["SQLite", "Postgres"])("an upload on %s (attack 7)", (database) => {
  let platform: GuardedPlatform;
  let drop = async () => {};
  let data = "";
  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), "parley-uploads-"));
    const fresh = database === "Postgres" ? await freshDatabase(inject("postgresUrl")) : undefined;
    drop = fresh?.drop ?? drop;
    platform = await GuardedPlatform.start({ PARLEY_DATA: data, ...(fresh && { DATABASE_URL: fresh.url }) });
  }, 120_000);
  afterAll(async () => {
    await platform.stop();
    await drop();
    await rm(data, { recursive: true });
  });

  it("is streamed to disk, and removed if it is aborted", async () => {
    const { secret } = await platform.key("ann", "home");
    const size = 4 * 1_048_576;
    const piece = Buffer.alloc(1_048_576, "x");
    const answers: unknown[] = [];
    const uploads = Array.from({ length: 5 }, () => {
      const headers = {
        ...{ Authorization: `Bearer ${secret}`, "Content-Type": "text/plain" },
        ...{ "X-File-Name": "a.txt", "Content-Length": size },
      };
      const sent = request(`${platform.url}/api/v1/files`, { method: "POST", headers });
      sent.on("error", () => {});
      sent.on("response", ({ statusCode }) => answers.push(statusCode));
      return sent;
    });
    for (const sent of uploads)
      for (let count = 0; count < 3; count++)
        if (!sent.write(piece))
          await new Promise((resolve) => sent.once("drain", resolve).once("close", resolve));
    expect(answers).toEqual([]);
    const incoming = join(data, database === "SQLite" ? "blobs/incoming" : "incoming");
    const stored = async () => {
      const names = await readdir(incoming);
      const sizes = await Promise.all(names.map(async (name) => (await stat(join(incoming, name))).size));
      return sizes.reduce((sum, size) => sum + size, 0);
    };
    // On Postgres these files have no names, so that they are gone with their process.
    const named = database === "SQLite" ? 5 * 3 * 1_048_576 : 0;
    await expect.poll(() => stored().catch(() => -1), { timeout: 60_000 }).toBe(named);
    for (const sent of uploads) sent.destroy();
    await expect.poll(() => readdir(incoming), { timeout: 60_000 }).toEqual([]);
    const whole = await platform.ask("POST", "/api/v1/files", {
      ...{ key: secret, body: "y".repeat(300_000) },
      headers: { "Content-Type": "text/plain", "X-File-Name": "a.txt" },
    });
    expect([whole.status, whole.json.file.size]).toEqual([201, 300_000]);
    const read = await platform.ask("GET", `/api/v1/files/${whole.json.file.id}/content`, { key: secret });
    expect(read.text).toBe("y".repeat(300_000));
  });
});
