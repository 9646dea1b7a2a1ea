import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { GuardedPlatform } from "../access/testing/guarded-platform.ts";
import { EventReader } from "../api/testing/event-reader.ts";

const LIMITS = {
  ...{ PARLEY_USER_BYTES: "40000", PARLEY_WORKSPACE_BYTES: "60000" },
  ...{ PARLEY_USER_SESSIONS: "4", PARLEY_WORKSPACE_SESSIONS: "6" },
  ...{ PARLEY_USER_RUNS: "2", PARLEY_WORKSPACE_RUNS: "3" },
  ...{ PARLEY_USER_STREAMS: "2", PARLEY_WORKSPACE_STREAMS: "3" },
};

describe.each(["SQLite", "Postgres"])("quotas on %s (attack 7)", (database) => {
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

  it("limits the bytes of uploads and messages together, and nobody else's", async () => {
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

  it("limits the runs that are open at the same time", async () => {
    const ann = await platform.key("ann", "three");
    const sessions: string[] = [];
    for (let count = 0; count < 4; count++)
      sessions.push((await post(ann.secret, "/sessions", {})).json.session.id);
    const said = await Promise.all(
      sessions.map((id) => post(ann.secret, `/sessions/${id}/messages`, { content: "Count to 50" })),
    );
    expect(said.map(({ status }) => status).sort()).toEqual([201, 201, 429, 429]);
    expect(said.find(({ status }) => status === 429)?.json.detail).toContain("PARLEY_USER_RUNS");
    await expect
      .poll(
        async () =>
          (await post(ann.secret, `/sessions/${sessions[3]}/messages`, { content: "Hello" })).status,
        { timeout: 30_000, interval: 250 },
      )
      .toBe(201);
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

  it("goes to the disk as it comes, and leaves nothing there when it breaks off", async () => {
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
    await expect.poll(() => stored().catch(() => -1), { timeout: 20_000 }).toBe(named);
    for (const sent of uploads) sent.destroy();
    await expect.poll(() => readdir(incoming), { timeout: 10_000 }).toEqual([]);
    const whole = await platform.ask("POST", "/api/v1/files", {
      ...{ key: secret, body: "y".repeat(300_000) },
      headers: { "Content-Type": "text/plain", "X-File-Name": "a.txt" },
    });
    expect([whole.status, whole.json.file.size]).toEqual([201, 300_000]);
    const read = await platform.ask("GET", `/api/v1/files/${whole.json.file.id}/content`, { key: secret });
    expect(read.text).toBe("y".repeat(300_000));
  });
});
