import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readConfiguration, startPlatform } from "@parley/server";
import OpenAI from "openai";
import { startAskingPeer, startEndlessPeer, startFailingPeer, startSlowPeer } from "../../peers/index.ts";
import { ApiClient } from "../../sessions/testing/api-client.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const TOKENS = ["High ", "wäter ", "at ", "noon 🌊"];
/** The answer of the agents `tides` and `ebb`. */
export const ANSWER = TOKENS.join("");
const THINKER = "---\ndescription: Thinks aloud\nmodel: offline\nthinking: true\n---\nSay what you hear.\n";

/** The platform with agents of every behaviour, and OpenAI's own client. */
export interface OpenAiPlatform {
  readonly url: string;
  readonly api: ApiClient;
  readonly client: OpenAI;
  /** Where the agent `files` writes, after asking. */
  readonly filesFolder: string;
  /** The recorded answers of a session. */
  answers(session: string): Promise<readonly string[]>;
  /** All messages of a session. */
  said(session: string): Promise<readonly string[]>;
  /** The number of its runs. */
  runs(session: string): Promise<number>;
  /** The number of sessions. */
  sessions(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts it in this process: `tides` is quick, `ebb` is slow, `shy` asks, `thinker` thinks, `files` may not write unasked. */
export async function startOpenAiPlatform(): Promise<OpenAiPlatform> {
  const peers = await Promise.all([
    startSlowPeer({ name: "tides", tokens: TOKENS, pause: 5 }),
    startSlowPeer({ name: "ebb", tokens: TOKENS, pause: 150 }),
    startAskingPeer({ name: "shy", question: "Blue or red?" }),
    startFailingPeer({ name: "failing" }),
    startEndlessPeer({ name: "endless" }),
  ]);
  const names = ["tides", "ebb", "shy", "failing", "endless"];
  // It lasts for all tests of a file.
  const folder = await mkdtemp(join(tmpdir(), "parley-openai-"));
  const filesFolder = join(folder, "files");
  await mkdir(filesFolder);
  const files = {
    command: "node",
    args: [join(ROOT, "mcp-servers/filesystem/main.ts"), "."],
    cwd: filesFolder,
  };
  const agents = Object.fromEntries(peers.map(({ url }, place) => [names[place], { url }]));
  const written = {
    "mcp.json": JSON.stringify({ mcpServers: { files } }),
    "agents.json": JSON.stringify({ agents }),
    "files.md": await readFile(join(ROOT, "agents/files.md"), "utf8"),
    "thinker.md": THINKER,
  };
  for (const [name, text] of Object.entries(written)) await writeFile(join(folder, name), text);
  const configuration = await readConfiguration({
    ...{ PATH: process.env.PATH, PORT: "0", PARLEY_LOG: "silent", PARLEY_MODEL: "offline" },
    ...{ PARLEY_AGENTS: folder, PARLEY_DATA: join(folder, "data") },
  });
  const platform = await startPlatform(configuration);
  await platform.agentsStarted;
  const url = `http://localhost:${platform.port}`;
  const api = new ApiClient(url);
  const up = async () => (await api.agents()).filter(({ state }) => state === "up").length;
  while ((await up()) < names.length + 2) await sleep(20);
  return {
    ...{ url, api, filesFolder },
    client: new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 }),
    answers: async (session) =>
      (await api.ended(session, 60_000)).events
        .filter(({ type }) => type === "agent_complete")
        .map(({ payload }) => String(payload.content)),
    said: async (session) => (await api.read(session)).messages.map(({ content }) => content),
    runs: async (session) =>
      (await api.read(session)).events.filter(({ type }) => type === "agent_start").length,
    sessions: async () =>
      (await api.call<{ sessions: unknown[] }>("GET", "/sessions?limit=100")).sessions.length,
    async stop() {
      await platform.stop();
      await Promise.all(peers.map((peer) => peer.stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
