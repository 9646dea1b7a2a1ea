import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { FolderServer, type Message } from "./folder-server.ts";

// `main.ts HOME [FOLDERS]`: the files of HOME, and those of each workspace that a call names in a folder of FOLDERS.

const WORKSPACE = "parley/workspace";
const MAX_CALL_MS = Number(process.env.FILES_CALL_MS ?? 10_000);
const IDLE_MS = 60_000;
const MAX_SERVERS = 16;

const [home = ".", folders] = process.argv.slice(2);
const servers = new Map<
  string,
  { readonly server: FolderServer; readonly ready: Promise<unknown>; used: number }
>();
/** The client's initialization, repeated to each further server. */
let introduction: Message | undefined;

const send = (message: Message) => process.stdout.write(`${JSON.stringify(message)}\n`);

function serverAt(workspace: string): { readonly server: FolderServer; readonly ready: Promise<unknown> } {
  const known = servers.get(workspace);
  if (known) {
    known.used = performance.now();
    return known;
  }
  const folder = workspace === "" ? home : join(folders ?? "", workspace);
  if (workspace !== "") mkdirSync(folder, { recursive: true, mode: 0o700 });
  const server = new FolderServer(folder, send);
  const started = { server, ready: introduced(server), used: performance.now() };
  servers.set(workspace, started);
  void server.ended.then((code) => {
    if (servers.get(workspace)?.server === server) servers.delete(workspace);
    // A folder that cannot be served ends the whole program.
    if (workspace === "" && !introduction) process.exit(code);
  });
  return started;
}

async function introduced(server: FolderServer): Promise<void> {
  if (!introduction) return;
  await server.ask({ ...introduction, id: "introduction" });
  server.tell({ jsonrpc: "2.0", method: "notifications/initialized" });
}

async function call(message: Message & { readonly id: string | number }): Promise<void> {
  const { _meta: meta, name } = message.params ?? {};
  const workspace = meta?.[WORKSPACE] ?? "";
  if (typeof workspace !== "string" || !/^[0-9a-f]{0,64}$/.test(workspace) || (workspace !== "" && !folders))
    return refuse(message.id, "There is no folder for this workspace");
  if (!servers.has(workspace) && !makeRoom())
    return refuse(message.id, "Too many workspaces use files just now; try again");
  const { server, ready } = serverAt(workspace);
  await ready;
  const late = setTimeout(() => server.stop(), MAX_CALL_MS);
  const answer = await server.ask(message);
  clearTimeout(late);
  if (answer) send(answer);
  else
    refuse(
      message.id,
      `${name} took longer than ${MAX_CALL_MS / 1_000} s and was stopped: name a smaller folder or a simpler pattern`,
    );
}

/** Ends the least recently used server; false if all are busy. */
function makeRoom(): boolean {
  if (servers.size < MAX_SERVERS) return true;
  const [oldest] = [...servers]
    .filter(([, { server }]) => server.isIdle)
    .sort(([, a], [, b]) => a.used - b.used);
  oldest?.[1].server.stop();
  if (oldest) servers.delete(oldest[0]);
  return oldest !== undefined;
}

function refuse(id: string | number, text: string): void {
  const content = [{ type: "text", text } as object];
  send({ jsonrpc: "2.0", id, result: { isError: true, content } });
}

setInterval(() => {
  for (const [workspace, { server, used }] of servers)
    if (workspace !== "" && server.isIdle && performance.now() - used > IDLE_MS) server.stop();
}, IDLE_MS).unref();

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as Message;
  const { id, method } = message;
  if (id === undefined || method === undefined)
    for (const { server } of servers.values()) server.tell(message);
  else if (method === "tools/call") void call({ ...message, id });
  else {
    const answer = serverAt("").server.ask({ ...message, id });
    if (method === "initialize") introduction = message;
    void answer.then((it) => it && send(it));
  }
}
process.exit(0);
