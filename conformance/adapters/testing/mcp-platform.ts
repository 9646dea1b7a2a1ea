import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from "@modelcontextprotocol/client";
import { readConfiguration, startPlatform } from "@parley/server";
import { onTestFinished } from "vitest";
import { Pace } from "../../nodes/testing/pace.ts";
import { numberedTokens, type Peer, startTaskPeer } from "../../peers/index.ts";
import { ApiClient } from "../../sessions/testing/api-client.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const TOKENS = numberedTokens(40);

/** The platform with two of its own agents, the offline model, and a slow external agent. */
export interface McpPlatform {
  readonly url: string;
  readonly api: ApiClient;
  readonly slow: Peer;
  /** The pace of `slow`. */
  readonly pace: () => Pace;
  /** The answer of `slow`. */
  readonly whole: string;
  /** From now on `slow` is slow again. */
  readonly slowDown: () => void;
  readonly stop: () => Promise<void>;
}

/** Starts it in this process. */
export async function startMcpPlatform(
  environment: Readonly<Record<string, string>> = {},
): Promise<McpPlatform> {
  let pace = new Pace(2_000);
  const slow = await startTaskPeer(
    async (task) => {
      task.status("WORKING");
      for (const [place, text] of TOKENS.entries()) {
        const result = { artifactId: "result", name: "result", parts: [{ text }] };
        task.piece(result, { append: place > 0, lastChunk: place === TOKENS.length - 1 });
        if (place >= 5) await pace.pause();
      }
      task.status("COMPLETED");
    },
    { name: "slow", description: "Speaks slowly" },
  );
  const program = (name: string, ...args: readonly string[]) => ({
    command: "node",
    args: [join(ROOT, "mcp-servers", name, "main.ts"), ...args],
  });
  const mcpServers = {
    version_service: program("argocd", "version"),
    application_service: program("argocd", "application"),
    calculator: program("calculator"),
  };
  // It lasts for all tests of a file.
  const folder = await mkdtemp(join(tmpdir(), "parley-mcp-"));
  await writeFile(join(folder, "mcp.json"), JSON.stringify({ mcpServers }));
  await writeFile(join(folder, "agents.json"), JSON.stringify({ agents: { slow: { url: slow.url } } }));
  for (const name of ["argocd", "calculator"])
    await copyFile(join(ROOT, "agents", `${name}.md`), join(folder, `${name}.md`));
  const configuration = await readConfiguration({
    ...{ PATH: process.env.PATH, PORT: "0", PARLEY_LOG: "silent", PARLEY_MODEL: "offline" },
    ...{ PARLEY_AGENTS: folder, PARLEY_DATA: join(folder, "data"), ...environment },
  });
  const platform = await startPlatform(configuration);
  await platform.agentsStarted;
  const url = `http://localhost:${platform.port}`;
  const api = new ApiClient(url);
  const isUp = async () => (await api.agents()).some(({ name, state }) => name === "slow" && state === "up");
  while (!(await isUp())) await sleep(20);
  return {
    ...{ url, api, slow, whole: TOKENS.join("") },
    pace: () => pace,
    slowDown() {
      pace = new Pace(2_000);
    },
    async stop() {
      pace.hurry();
      await platform.stop();
      await slow.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A client's options. */
export interface Coming {
  /** The protocol revision: one of 2025, or the newest. */
  readonly version?: string;
  readonly capabilities?: ClientOptions["capabilities"];
  readonly transport?: StreamableHTTPClientTransportOptions;
  readonly options?: Partial<ClientOptions>;
}

/** The newest revision, which has no sessions. */
export const NEWEST = "2026-07-28";

/** The real client, connected until the test ends. */
export async function connectedClient(
  url: string,
  { version = NEWEST, capabilities = {}, transport = {}, options = {} }: Coming = {},
): Promise<Client> {
  const isNewest = version === NEWEST;
  const client = new Client(
    { name: "test", version: "1.0.0" },
    {
      ...{ capabilities, versionNegotiation: { mode: isNewest ? "auto" : "legacy" } },
      ...(!isNewest && { supportedProtocolVersions: [version] }),
      ...options,
    },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), transport));
  onTestFinished(() => client.close());
  return client;
}
