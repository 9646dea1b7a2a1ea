import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WorkspaceRole } from "@parley/identity";
import { readConfiguration } from "../../configuration.ts";
import { type Platform, startPlatform } from "../../platform.ts";
import { agentFile } from "../../testing/agent-files.ts";
import { makeFirstKey } from "../make-key.ts";

/** An answer, read whole. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests say what they expect
  readonly json: any;
}

/** For tests: the whole platform, with an agent, where every caller must authenticate. */
export class GuardedPlatform {
  readonly url: string;
  /** The operator's key. */
  readonly operator: string;
  readonly #platform: Platform;
  readonly #folder: string;

  private constructor(platform: Platform, operator: string, folder: string) {
    this.#platform = platform;
    this.url = `http://127.0.0.1:${platform.port}`;
    this.operator = operator;
    this.#folder = folder;
  }

  static async start(environment: Readonly<Record<string, string>> = {}): Promise<GuardedPlatform> {
    const folder = await mkdtemp(join(tmpdir(), "parley-access-"));
    await mkdir(join(folder, "agents"));
    await writeFile(join(folder, "agents/helper.md"), agentFile("Helps"));
    const configuration = await readConfiguration({
      ...{ PORT: "0", PARLEY_LOG: "silent", PARLEY_MODEL: "offline", PARLEY_AUTH: "on" },
      ...{ PARLEY_DATA: join(folder, "data"), PARLEY_AGENTS: join(folder, "agents") },
      ...environment,
    });
    const { secret } = await makeFirstKey(configuration, {
      ...{ name: "first", owner: "root", workspace: "default", role: "owner" },
    });
    const platform = await startPlatform(configuration);
    await platform.agentsStarted;
    return new GuardedPlatform(platform, secret, folder);
  }

  /** Makes a key, as the operator or with another key; with its id. */
  async key(
    owner: string,
    workspace: string,
    more: { readonly role?: WorkspaceRole; readonly expiresAt?: string } = {},
    by = this.operator,
  ): Promise<{ readonly id: string; readonly secret: string }> {
    const body = { name: `of ${owner}`, owner, workspace, ...more };
    const { status, json, text } = await this.ask("POST", "/api/v1/keys", { key: by, body });
    if (status !== 201) throw new Error(`No key was made: ${text}`);
    return { id: json.key.id, secret: json.secret };
  }

  async ask(
    method: string,
    path: string,
    { key, body, headers = {}, signal }: NewMessage = {},
  ): Promise<Answered> {
    const response = await fetch(`${this.url}${path}`, {
      ...{ method, redirect: "manual" },
      headers: {
        ...(key !== undefined && { Authorization: `Bearer ${key}` }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    const isStream = response.headers.get("content-type") === "text/event-stream";
    const text = isStream ? await firstText(response) : await response.text();
    const isJson = /[/+]json(;|$)/.test(response.headers.get("content-type") ?? "") && text !== "";
    return {
      ...{ status: response.status, headers: response.headers, text },
      json: isJson ? JSON.parse(text) : undefined,
    };
  }

  async stop(): Promise<void> {
    await this.#platform.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

interface NewMessage {
  readonly key?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

// A stream has no end: its first bytes are enough.
async function firstText(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return new TextDecoder().decode(first?.value);
}
