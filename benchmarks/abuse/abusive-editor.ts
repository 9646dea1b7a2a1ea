// One editor who does all that an editor may, as fast as the server lets it, until it is ended: URL KEY [ACTION,…].
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

const [url = "", key = "", only] = process.argv.slice(2);
const WAIT_MS = 250;
const counts: Record<string, number> = {};

async function ask(kind: string, path: string, body?: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${url}${path}`, {
    ...(body !== undefined && { method: "POST", body }),
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...headers },
  });
  const text = await answer.text();
  const outcome = `${kind} ${answer.status}`;
  counts[outcome] = (counts[outcome] ?? 0) + 1;
  if (!answer.ok) await sleep(WAIT_MS);
  return answer.ok ? JSON.parse(text) : undefined;
}

const words = (count: number) =>
  Array.from({ length: count }, () => Math.random().toString(36).slice(2, 9)).join(" ");

async function backgroundRun(): Promise<void> {
  const made = await ask("session", "/api/v1/sessions", "{}");
  if (!made) return;
  const body = JSON.stringify({ content: "Count to 300" });
  await ask("run", `/api/v1/sessions/${made.session.id}/messages`, body);
}

async function longHistory(): Promise<void> {
  const messages = Array.from({ length: 201 }, (_, index) => ({
    ...{ role: index % 2 === 0 ? "user" : "assistant", content: words(60) },
  }));
  await ask("history", "/v1/chat/completions", JSON.stringify({ model: "supervisor", messages }));
}

async function upload(): Promise<void> {
  const headers = { "Content-Type": "text/plain", "X-File-Name": "a.txt" };
  await ask("upload", "/api/v1/files", words(500_000), headers);
}

async function imported(): Promise<void> {
  const line = (type: string, payload: object) => JSON.stringify({ type, payload });
  const lines = [line("session_created", { title: "Imported", config: {}, owner: "x", workspace: "x" })];
  for (let count = 0; count < 500; count++)
    lines.push(line("user_message", { messageId: randomUUID(), content: words(30) }));
  await ask("import", "/api/v1/sessions/import", JSON.stringify({ content: lines.join("\n") }));
}

const search = () => ask("search", `/api/v1/search?q=${words(1).slice(0, 2)}`);

async function stream(): Promise<void> {
  const answer = await fetch(`${url}/api/v1/events`, { headers: { Authorization: `Bearer ${key}` } });
  counts[`stream ${answer.status}`] = (counts[`stream ${answer.status}`] ?? 0) + 1;
  for await (const _ of answer.body ?? []);
  await sleep(WAIT_MS);
}

const ACTIONS: Readonly<Record<string, readonly [atOnce: number, action: () => Promise<unknown>]>> = {
  runs: [8, backgroundRun],
  histories: [3, longHistory],
  uploads: [2, upload],
  imports: [2, imported],
  searches: [4, search],
  streams: [60, stream],
};
for (const name of only?.split(",") ?? Object.keys(ACTIONS)) {
  const [atOnce, action] = ACTIONS[name] ?? [0, search];
  for (let count = 0; count < atOnce; count++)
    void (async () => {
      for (;;) await action().catch(() => sleep(WAIT_MS));
    })();
}
process.on("message", () => process.send?.(counts));
