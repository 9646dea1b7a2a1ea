import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Journal, openMemoryJournal } from "@parley/journal";
import { onTestFinished } from "vitest";
import { type Message, textOf } from "../../protocol/model.ts";
import type { Content } from "../../tasks/executor.ts";
import { taskTables } from "../../tasks/tables/task-table.ts";
import { TaskEngine } from "../../tasks/task-engine.ts";
import { TaskOperations } from "../../tasks/task-operations.ts";
import { ScriptedExecutor } from "../../testing/scripted-executor.ts";
import { agentListener } from "../agent-listener.ts";
import { type AgentOptions, agentOperations } from "../agent-operations.ts";

type Headers = Record<string, string>;

/** Completes at once, asks, waits until it is canceled, or replies without a task, by the first word of the message. */
class EdgeExecutor extends ScriptedExecutor {
  readonly stop = new AbortController();

  constructor() {
    super();
    this.on("quick", async () => undefined)
      .on("ask", async () => ({ state: "input-required" }))
      .on("wait", async ({ signal }) => {
        const ended = AbortSignal.any([signal, this.stop.signal]);
        if (!ended.aborted) await once(ended, "abort");
        return undefined;
      });
  }

  async reply(message: Message): Promise<Content | undefined> {
    return textOf(message) === "reply" ? "an answer" : undefined;
  }
}

interface AgentSetting {
  readonly longestHistory?: number;
  /** In memory unless given; closed with the server. */
  readonly journal?: Journal;
}

/** For tests: an agent over real HTTP, with both bindings; a bearer token authenticates its text as the caller. */
export class AgentServer {
  readonly url: string;
  readonly journal: Journal;
  /** The errors that were not the caller's. */
  readonly reported: unknown[];

  private constructor(url: string, journal: Journal, reported: unknown[]) {
    this.url = url;
    this.journal = journal;
    this.reported = reported;
  }

  static async start(options: AgentOptions = {}, setting: AgentSetting = {}): Promise<AgentServer> {
    const { journal = openMemoryJournal({ projections: taskTables }), ...history } = setting;
    const reported: unknown[] = [];
    const executor = new EdgeExecutor();
    const engine = new TaskEngine({ journal, executor });
    const tasks = new TaskOperations(engine, journal, history);
    const server = createServer(
      agentListener({
        operations: agentOperations(tasks, options),
        cards: new Map(),
        ownerOf: ({ headers }) => ({
          owner: headers.authorization ?? "anonymous",
          authenticated: headers.authorization !== undefined,
        }),
        report: (error) => reported.push(error),
        next: (_, response) => response.writeHead(404).end("next"),
      }),
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
      executor.stop.abort();
      await engine.idle();
      await journal.close();
    });
    const { port } = server.address() as AddressInfo;
    return new AgentServer(`http://127.0.0.1:${port}`, journal, reported);
  }

  rpc(method: string, params: unknown, headers: Headers = {}): Promise<Response> {
    return fetch(`${this.url}/a2a/jsonrpc`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
  }

  rest(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Response> {
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const type = body === undefined ? {} : { "content-type": "application/json" };
    return fetch(`${this.url}/a2a/rest${path}`, { method, headers: { ...type, ...headers }, ...content });
  }
}

/** The same message as each dialect sends it: the method to send, the one to stream, and the params. */
export const inDialects = (text: string, more: object = {}) =>
  [
    [
      "1.0",
      "SendMessage",
      "SendStreamingMessage",
      { message: { ...base("ROLE_USER"), parts: [{ text }], ...more } },
    ],
    [
      "0.3",
      "message/send",
      "message/stream",
      { message: { ...base("user"), kind: "message", parts: [{ kind: "text", text }], ...more } },
    ],
    [
      "0.1",
      "tasks/send",
      "tasks/sendSubscribe",
      { id: "mine", sessionId: "s", message: { role: "user", parts: [{ type: "text", text }], ...more } },
    ],
  ] as const;

function base(role: string): object {
  return { messageId: "m", role };
}

/** The error that a call was answered with, whatever the binding. */
export async function errorOf(
  response: Response | Promise<Response>,
): Promise<{ code: number; message: string; data?: unknown; details?: unknown }> {
  return ((await (await response).json()) as { error: { code: number; message: string } }).error;
}
