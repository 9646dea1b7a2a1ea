// `node conformance/golden/make.ts FOLDER`: golden data of the code as it is. README.md says when.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { makeFirstKey } from "@parley/server/keys";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { startPostgres } from "@parley/testing/postgres-server.ts";
import { wrongClock } from "@parley/testing/wrong-clock.ts";
import { Client } from "pg";
import type { GoldenClient } from "./testing/golden-client.ts";
import { GoldenNode } from "./testing/golden-node.ts";
import {
  CREDENTIAL,
  type GoldenReading,
  type GoldenScene,
  PORTS,
  PUSH_TOKEN,
  REPEATED,
} from "./testing/golden-scene.ts";
import { startGuardedPeer } from "./testing/guarded-peer.ts";
import { type PackedFiles, writePacked } from "./testing/packed-files.ts";
import { SLOWLY, startStoryModel } from "./testing/story-model.ts";

const DAY_MS = 86_400_000;
/** Tasks that changed at this time are not too old for anything, whenever the data is opened. */
const FAR_AHEAD_MS = Date.parse("2100-01-01");
const WORKSPACE = "harbour";
/** The hourly upkeep of sessions, which moves the old ones to the archive, comes at once. */
const HURRIED_UPKEEP = `
  const every = setInterval;
  globalThis.setInterval = (work, ms, ...rest) => every(work, ms === 3_600_000 ? 300 : ms, ...rest);`;
const [, , target] = process.argv;
const SLOW_STORY = `Tell a story, ${SLOWLY}`;

if (target === undefined)
  throw new Error("Name the folder that the data goes to; that of c5cf168 stays as it is");
packOldNode(target);
const peer = await startGuardedPeer({ isSlow: true });
const model = await startStoryModel({ isSlow: true });
const folders: string[] = [];
try {
  await makeSqlite(target);
  await makePostgres(target);
} finally {
  await peer.stop();
  await model.stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

/** Packs what a node is made of, without tests and without the web client. */
function packOldNode(target: string): void {
  const root = join(import.meta.dirname, "../..");
  const packages = ["journal", "a2a", "agent", "registry", "supervisor", "sessions", "server"];
  const listed = execFileSync("git", ["ls-files", ...packages.map((name) => `packages/${name}`)], {
    cwd: root,
  });
  const files = listed
    .toString()
    .split("\n")
    .filter((path) => /\.(?:ts|json)$/.test(path) && !/\.test\.ts$|\/(?:testing|contract)\//.test(path));
  const packed = files.map((path) => [path, readFileSync(join(root, path)).toString("latin1")] as const);
  const web = {
    "packages/web/package.json": '{"type":"module","exports":{"./build":"./build.ts"}}',
    "packages/web/build.ts":
      'export const builtWebClient = () => Promise.reject(new Error("There is no web client"));',
  };
  writePacked(join(target, "old-node.json.br"), { ...Object.fromEntries(packed), ...web });
}

async function makeSqlite(target: string): Promise<void> {
  const folder = await newFolder();
  const scene = await play(folder);
  const data = join(folder, "data");
  const database = new DatabaseSync(join(data, "journal.db"));
  const [{ packed } = {}] = database
    .prepare("SELECT count(*) AS packed FROM sessions WHERE packed_revision > 0")
    .all();
  if (packed !== 1) throw new Error(`${packed} sessions are in the archive`);
  for (const table of ["tasks", "contexts"]) database.exec(`UPDATE ${table} SET changed = ${FAR_AHEAD_MS}`);
  database.close();
  writePacked(join(target, "sqlite.json.br"), { scene, files: filesIn(data) });
}

async function makePostgres(target: string): Promise<void> {
  const server = await startPostgres();
  const { url } = await freshDatabase(server.url);
  try {
    const scene = await play(await newFolder(), url);
    const client = new Client(url);
    await client.connect();
    const { rows } = await client.query(
      "SELECT count(*)::int AS packed FROM parley.sessions WHERE packed_revision > 0",
    );
    if (rows[0].packed !== 1) throw new Error(`${rows[0].packed} sessions are in the archive`);
    for (const table of ["tasks", "contexts"])
      await client.query(`UPDATE parley.${table} SET changed = ${FAR_AHEAD_MS}`);
    await client.end();
    const options = ["--schema=parley", "--inserts", "--rows-per-insert=50", "--no-owner", "--no-privileges"];
    const dump = execFileSync("pg_dump", [...options, url], { encoding: "utf8", maxBuffer: 1 << 28 });
    // What only its own program understands, and settings that other versions do not have.
    const sql = dump.replace(/^(?:--.*|\\.*|SET .*|SELECT pg_catalog\.set_config.*|)\n/gm, "");
    writePacked(join(target, "postgres.json.br"), { scene, sql });
  } finally {
    await server.stop();
  }
}

/** Has nodes do all that the data is to hold; the last one is killed while it works. */
async function play(folder: string, database?: string): Promise<GoldenScene> {
  const keys = await makeKeys(folder, database);
  const about = { folder, database, model: model.model };
  const old = await GoldenNode.start({ ...about, imports: [wrongClock(-40 * DAY_MS)] });
  await old.hasAgents(keys.operator, "teller");
  const cold = await finishedSession(
    old.as(keys.editor),
    { title: "Long ago", agent: "teller" },
    "Tell a story",
  );
  await old.end("SIGTERM");

  const node = await GoldenNode.start({ ...about, imports: [HURRIED_UPKEEP] });
  const operator = node.as(keys.operator);
  const api = node.as(keys.editor);
  await operator.call("DELETE", `/keys/${keys.revokedId}?workspace=${WORKSPACE}`);
  const credentials = { token: { kind: "bearer", token: CREDENTIAL } };
  const url = `http://127.0.0.1:${PORTS.guarded}`;
  await operator.call("POST", "/agents", { url, name: "guarded", credentials });
  await node.hasAgents(keys.operator, "teller", "clerk", "guarded");

  const text = "A long letter. ".repeat(20_000);
  const { file } = await api
    .fetch("/api/v1/files", {
      method: "POST",
      headers: { "content-type": "text/plain", "x-file-name": "letter.txt" },
      body: text,
    })
    .then((answer) => answer.json() as Promise<{ file: { id: string } }>);
  const first = await api.create({ title: "Told", agent: "teller" });
  const sent = { content: REPEATED.content, files: [file.id] };
  await api.call("POST", `/sessions/${first}/messages`, sent, { "idempotency-key": REPEATED.key });
  const original = await api.ended(first);
  const [question] = original.messages;
  const run = original.events.find(({ type }) => type === "agent_start")?.payload as { runId: string };
  const forked = async (method: string, path: string, body: object) => {
    const { session } = await api.call<GoldenReading>(method, `/sessions/${first}${path}`, body);
    return session.id;
  };
  const edited = await forked("PUT", `/messages/${question?.id}`, { content: "Tell another story" });
  const branched = await forked("POST", "/branch", { content: "And then?" });
  const retried = await forked("POST", `/runs/${run.runId}/retry`, {});
  const copied = await forked("POST", "/fork", { title: "A copy" });
  for (const id of [edited, branched, retried]) await api.ended(id);
  const { share } = await api.call<{ share: { token: string } }>("POST", `/sessions/${first}/shares`, {});

  const archived = await finishedSession(api, { title: "Put away", agent: "teller" }, "Tell a story");
  await api.call("PATCH", `/sessions/${archived}`, { archived: true });
  const guarded = await finishedSession(api, { title: "Let in", agent: "guarded" }, "Let me in");
  const configured = await api.create({ title: "Configured", agent: "clerk" });
  const allowedTools = [{ agent: "clerk", tool: "calculator__evaluate" }];
  await api.call("PATCH", `/sessions/${configured}`, { config: { allowedTools } });
  const ended = await taskOf(api, "ask teller: tell a story");
  await taskIs(api, ended, "TASK_STATE_COMPLETED");

  const cancelled = await begun(api, { title: "Cancelled", agent: "teller" }, SLOW_STORY);
  const { runs } = await api.call<{ runs: { id: string }[] }>("GET", `/sessions/${cancelled}/runs`);
  await api.call("POST", `/sessions/${cancelled}/runs/${runs[0]?.id}/cancel`, { reason: "Too slow" });
  await api.ended(cancelled);

  const askedByClerk = await asked(api, { title: "Asked by the clerk", agent: "clerk" }, "What is 6*7?");
  const askedBySupervisor = await asked(api, { title: "Asked by the supervisor" }, "ask clerk: what is 6*7?");
  const atTeller = await begun(api, { title: "Teller at work", agent: "teller" }, SLOW_STORY);
  const atSupervisor = await begun(api, { title: "Supervisor at work" }, `ask teller: ${SLOW_STORY}`);
  const atGuarded = await begun(api, { title: "Agent elsewhere at work", agent: "guarded" }, SLOW_STORY);
  const running = await taskOf(api, `ask teller: ${SLOW_STORY}`);
  await taskIs(api, running, "TASK_STATE_WORKING");
  // Time for what nobody waits for: the upkeep, a try of each webhook, the last flush.
  await sleep(3_000);

  const readAll = async <Name extends string>(ids: Readonly<Record<Name, string>>) => {
    const read = Object.entries<string>(ids).map(async ([name, id]) => [name, await api.read(id)] as const);
    return Object.fromEntries(await Promise.all(read)) as Record<Name, GoldenReading>;
  };
  const still = { first, cold, edited, branched, retried, copied, archived, guarded, configured, cancelled };
  const scene = {
    ...{ keys, tasks: { ended, running }, file: { id: file.id, text }, shareToken: share.token },
    still: await readAll(still),
    running: await readAll({ teller: atTeller, supervisor: atSupervisor, guarded: atGuarded }),
    asking: await readAll({ clerk: askedByClerk, supervisor: askedBySupervisor }),
  };
  await node.end("SIGKILL");
  return scene;
}

async function makeKeys(folder: string, database?: string) {
  const place = {
    dataFolder: join(folder, "data"),
    ...(database !== undefined && { databaseUrl: new URL(database) }),
  };
  const make = (owner: string, workspace: string, role: "owner" | "editor" | "viewer") =>
    makeFirstKey(place as Parameters<typeof makeFirstKey>[0], { name: `${owner}'s`, owner, workspace, role });
  const revoked = await make("former", WORKSPACE, "editor");
  return {
    operator: (await make("operator", "default", "owner")).secret,
    owner: (await make("olga", WORKSPACE, "owner")).secret,
    editor: (await make("ann", WORKSPACE, "editor")).secret,
    viewer: (await make("vera", WORKSPACE, "viewer")).secret,
    revoked: revoked.secret,
    revokedId: revoked.key.id,
  };
}

async function sent(api: GoldenClient, about: object, content: string): Promise<string> {
  const id = await api.create(about);
  await api.call("POST", `/sessions/${id}/messages`, { content });
  return id;
}

async function finishedSession(api: GoldenClient, about: object, content: string): Promise<string> {
  const id = await sent(api, about, content);
  await api.ended(id);
  return id;
}

async function begun(api: GoldenClient, about: object, content: string): Promise<string> {
  const id = await sent(api, about, content);
  await api.until(id, ({ events }) => events.some(({ type }) => type === "agent_token"));
  return id;
}

async function asked(api: GoldenClient, about: object, content: string): Promise<string> {
  const id = await sent(api, about, content);
  await api.until(id, ({ events }) => events.some(({ type }) => type === "approval_requested"));
  return id;
}

/** Begins a task of the supervisor's, with a webhook to a receiver that is not there. */
async function taskOf(api: GoldenClient, text: string): Promise<string> {
  const taskPushNotificationConfig = {
    ...{ id: "golden", url: `http://127.0.0.1:${PORTS.receiver}/hook`, token: PUSH_TOKEN },
  };
  const { task } = await api.a2a<{ task: { id: string } }>("SendMessage", {
    message: { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text }] },
    configuration: { returnImmediately: true, taskPushNotificationConfig },
  });
  return task.id;
}

async function taskIs(api: GoldenClient, id: string, state: string): Promise<void> {
  const stateOf = async () => (await api.a2a<{ status: { state: string } }>("GetTask", { id })).status.state;
  while ((await stateOf()) !== state) await sleep(50);
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "parley-golden-"));
  folders.push(folder);
  return folder;
}

/** All files of a data folder but its logs. */
function filesIn(folder: string): PackedFiles {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
  return Object.fromEntries(
    paths
      .filter((path) => !path.startsWith("logs/"))
      .map((path) => [path, readFileSync(join(folder, path)).toString("latin1")]),
  );
}
