import { cp } from "node:fs/promises";
import { join, resolve } from "node:path";
import { freePortRange } from "@parley/testing/free-ports.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, it, onTestFinished } from "vitest";
import { makeFirstKey } from "../access/make-key.ts";
import { readConfiguration } from "../configuration.ts";
import { startPlatform } from "../platform.ts";
import { agentFile } from "../testing/agent-files.ts";

const SHIPPED = resolve(import.meta.dirname, "../../../../agents");

/** Accepts every caller, and records what it was started with. */
const CARELESS = `
import { createServer } from "node:http";
const { PORT, HOST, PARLEY_KEY } = process.env;
const card = { name: "careless", key: PARLEY_KEY, args: process.argv.concat(process.execArgv) };
createServer((_, response) => response.end(JSON.stringify(card))).listen(PORT, HOST);
`;

it("a program agent accepts only the platform's calls where authentication is required, and one that accepts others is reported (S4.33)", async () => {
  // Ports outside the ephemeral range: any other may be taken before the program binds it.
  const port = await freePortRange(12);
  const program = "program: { command: node, args: [careless.mjs] }";
  const folder = await testFolder({
    "agents/careless.md": agentFile("Asks nobody.", program, "port: +1"),
    "agents/careless.mjs": CARELESS,
  });
  for (const name of ["fragile.md", "fragile"])
    await cp(join(SHIPPED, name), join(folder, "agents", name), { recursive: true });
  const configuration = await readConfiguration({
    ...{ PORT: String(port), PARLEY_LOG: "silent", PARLEY_MODEL: "offline", PARLEY_AUTH: "on" },
    ...{ PARLEY_DATA: join(folder, "data"), PARLEY_AGENTS: join(folder, "agents") },
  });
  const about = { name: "first", owner: "root", workspace: "default", role: "owner" } as const;
  const { secret } = await makeFirstKey(configuration, about);
  const platform = await startPlatform(configuration);
  onTestFinished(() => platform.stop());
  const { agents } = await platform.agentsStarted;
  const [careless, fragile] = agents.toSorted((a, b) => a.name.localeCompare(b.name));
  expect([careless?.state, fragile?.state]).toEqual(["up", "up"]);
  expect(fragile?.troubles).toEqual([]);
  expect(careless?.troubles).toEqual([
    expect.stringMatching(/^careless accepts calls of anybody .* PARLEY_KEY$/),
  ]);

  const key = async (url = "") => (await fetch(`${url}/.well-known/agent-card.json`)).json();
  const started = (await key(careless?.url)) as { key: string; args: string[] };
  expect(started.key).toMatch(/^[\w-]{43}$/);
  expect(started.args.join()).not.toContain(started.key);

  const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "Break" }] };
  const call = { jsonrpc: "2.0", id: 1, method: "SendStreamingMessage", params: { message } };
  const ask = async (authorization?: string) => {
    const headers = { "Content-Type": "application/json", ...(authorization && { authorization }) };
    const answer = await fetch(`${fragile?.url}/`, { method: "POST", headers, body: JSON.stringify(call) });
    await answer.body?.cancel();
    return answer.status;
  };
  // The key of one agent is not that of another.
  expect([await ask(), await ask(`Bearer ${secret}`), await ask(`Bearer ${started.key}`)]).toEqual([
    401, 401, 401,
  ]);

  const api = async (method: string, path: string, body?: object) => {
    const headers = { "Content-Type": "application/json", authorization: `Bearer ${secret}` };
    const url = `http://localhost:${platform.port}/api/v1${path}`;
    return (await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) })).json();
  };
  const { session } = (await api("POST", "/sessions", { agent: "fragile" })) as { session: { id: string } };
  await api("POST", `/sessions/${session.id}/messages`, { content: "Break" });
  type Recorded = { type: string; payload: { text?: string; reason?: string } };
  const events = async () =>
    ((await api("GET", `/sessions/${session.id}`)) as { events: readonly Recorded[] }).events;
  const ended = async () => (await events()).find(({ type }) => type === "agent_complete");
  await expect.poll(ended, { timeout: 60_000 }).toBeDefined();
  // It was called, and dies however often that is.
  const tokens = (await events()).filter(({ type }) => type === "agent_token");
  expect(tokens.map(({ payload }) => payload.text).join("")).toContain("I have begun");
  expect((await ended())?.payload.reason).toContain("I remember nothing");
}, 180_000);
