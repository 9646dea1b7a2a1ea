import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { WebhookReceiver } from "@parley/testing/webhook-receiver.ts";
import { Client } from "pg";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { during } from "../peers/testing/peer-client.ts";
import type { GoldenClient } from "./testing/golden-client.ts";
import { GoldenNode } from "./testing/golden-node.ts";
import {
  CREDENTIAL,
  type GoldenData,
  type GoldenReading,
  type GoldenScene,
  PORTS,
  PUSH_TOKEN,
  REPEATED,
} from "./testing/golden-scene.ts";
import { LET_IN, startGuardedPeer } from "./testing/guarded-peer.ts";
import { readPacked, unpackFiles } from "./testing/packed-files.ts";
import { STORY, startStoryModel } from "./testing/story-model.ts";

interface Opened {
  readonly scene: GoldenScene;
  readonly folder: string;
  readonly database: string | undefined;
}

const packed = (name: string) => readPacked<GoldenData>(join(import.meta.dirname, `${name}.json.br`));

async function openSqlite(): Promise<Opened> {
  const { scene, files = {} } = packed("sqlite");
  const folder = await testFolder();
  await unpackFiles(files, join(folder, "data"));
  return { scene, folder, database: undefined };
}

async function openPostgres(): Promise<Opened> {
  const { scene, sql = "" } = packed("postgres");
  const { url, drop } = await freshDatabase(inject("postgresUrl"));
  onTestFinished(drop);
  const client = new Client(url);
  await client.connect();
  await client.query(sql);
  await client.end();
  return { scene, folder: await testFolder(), database: url };
}

/** A fixed port may be in use by another test run on this machine. */
async function whenFree<Started>(start: () => Promise<Started>): Promise<Started> {
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
      await sleep(500);
    }
  }
}

const lastOf = ({ messages }: GoldenReading) => messages.at(-1)?.content;
const endOf = ({ events }: GoldenReading) =>
  events.findLast(({ type }) => type === "agent_complete")?.payload as { state: string; reason?: unknown };

async function readsAsBefore(api: GoldenClient, { session, messages, events }: GoldenReading): Promise<void> {
  const reading = await api.read(session.id);
  expect(reading.session).toMatchObject(session);
  expect(reading.messages).toMatchObject(messages);
  expect(reading.events).toMatchObject(events);
}

async function goesOn(api: GoldenClient, before: GoldenReading): Promise<GoldenReading> {
  const reading = await api.ended(before.session.id);
  expect(reading.events.slice(0, before.events.length)).toMatchObject(before.events);
  expect(reading.events.map(({ index }) => index)).toEqual(reading.events.map((_, place) => place + 1));
  return reading;
}

describe.each([
  ["SQLite", openSqlite],
  ["Postgres", openPostgres],
])("data left on %s by an older Parley that was killed", (_, open) => {
  it("opens completely, and its pending work continues", { timeout: 180_000 }, async () => {
    const { scene, folder, database } = await open();
    const { keys, still, running, asking, tasks } = scene;
    const guarded = await during(whenFree(() => startGuardedPeer({ isSlow: false })));
    const receiver = await whenFree(() => WebhookReceiver.start(() => 204, PORTS.receiver));
    const { model } = await during(startStoryModel({ isSlow: false }));
    const node = await GoldenNode.start({ folder, database, model });
    onTestFinished(() => node.end("SIGKILL"));
    const api = node.as(keys.editor);

    // Keys.
    for (const role of ["operator", "owner", "editor", "viewer"] as const)
      expect((await node.as(keys[role]).fetch("/api/v1/sessions")).status).toBe(200);
    expect((await node.as(keys.revoked).fetch("/api/v1/sessions")).status).toBe(401);
    const written = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    expect((await node.as(keys.viewer).fetch("/api/v1/sessions", written)).status).toBe(403);

    // Idle sessions, including forks and archived ones.
    for (const reading of Object.values(still)) await readsAsBefore(api, reading);
    const { file, shareToken } = scene;
    expect(await (await api.fetch(`/api/v1/files/${file.id}/content`)).text()).toBe(file.text);
    const shared = await fetch(`${node.url}/api/v1/shared`, { headers: { "x-share-token": shareToken } });
    expect(await shared.json()).toMatchObject({ messages: still.first?.messages });

    // Active runs.
    for (const who of ["teller", "supervisor"] as const) {
      const reading = await goesOn(api, running[who]);
      expect([endOf(reading), lastOf(reading)]).toMatchObject([{ state: "completed" }, STORY]);
    }
    // Its agent no longer knows the task and is called again.
    const asked = await goesOn(api, running.guarded);
    expect([endOf(asked), lastOf(asked)]).toMatchObject([{ state: "completed" }, LET_IN]);

    // Pending approvals.
    type Inbox = { readonly approvals: readonly { readonly id: string; readonly sessionId: string }[] };
    const inbox = async () => (await api.call<Inbox>("GET", "/approvals?open=true")).approvals;
    const ids = Object.values(asking).map(({ session }) => session.id);
    expect((await inbox()).map(({ sessionId }) => sessionId).sort()).toEqual(ids.sort());
    for (const { id, sessionId } of await inbox())
      await api.call("POST", `/sessions/${sessionId}/approvals/${id}`, { decision: "approved" });
    for (const before of Object.values(asking)) expect(lastOf(await goesOn(api, before))).toContain("= 42");
    expect(await inbox()).toEqual([]);

    // Undelivered webhooks, with sealed tokens.
    const deliveriesOf = (task: string) => receiver.taken.filter(({ text }) => text.includes(task));
    for (const task of Object.values(tasks)) {
      await receiver.until(() =>
        deliveriesOf(task).some(({ text }) => text.includes("TASK_STATE_COMPLETED")),
      );
      const hooks = deliveriesOf(task).map(({ headers }) => headers["x-a2a-notification-token"]);
      expect(new Set(hooks)).toEqual(new Set([PUSH_TOKEN]));
    }
    expect(receiver.taken.every(({ headers }) => headers["webhook-signature"])).toBe(true);

    // The credential, also sealed; a repeated request; and more of what is old.
    await node.hasAgents(keys.operator, "guarded");
    const more = async (id: string, content: string) => {
      await api.call("POST", `/sessions/${id}/messages`, { content });
      return lastOf(await api.ended(id));
    };
    expect(await more(still.guarded?.session.id ?? "", "Let me in again")).toBe(LET_IN);
    expect(guarded.requests.at(-1)?.headers.authorization).toBe(`Bearer ${CREDENTIAL}`);
    const first = still.first?.session.id ?? "";
    const again = { content: REPEATED.content, files: [file.id] };
    const repeated = { "idempotency-key": REPEATED.key };
    expect(await api.call("POST", `/sessions/${first}/messages`, again, repeated)).toMatchObject({
      message: { id: still.first?.messages[0]?.id },
    });
    expect(await more(still.cold?.session.id ?? "", "Tell a story again")).toBe(STORY);
    expect(await more(still.edited?.session.id ?? "", "Tell a story again")).toBe(STORY);
    await readsAsBefore(api, still.first as GoldenReading);
  });
});
