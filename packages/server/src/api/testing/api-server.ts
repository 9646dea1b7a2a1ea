import { randomBytes, randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { DeadLetters } from "@parley/a2a";
import { adapterAt, guardRefusal } from "@parley/adapters";
import { AuditLog, type Identity, KeyStore, People, Revocations, ShareLinks } from "@parley/identity";
import { type Journal, openMemoryJournal } from "@parley/journal";
import type { Environment } from "@parley/models";
import { UnknownAgentError } from "@parley/registry";
import { LiveThoughts, OpenSession, runStream, type SessionEvent, Sessions } from "@parley/sessions";
import { pino } from "pino";
import { expect } from "vitest";
import { guardedServer } from "../../http/guarded-server.ts";
import { closeServer, listen } from "../../http/listen.ts";
import { journalTables } from "../../journal-tables.ts";
import type { LoopShares } from "../../quotas/loop-shares.ts";
import { commandAudit } from "../../record/command-audit.ts";
import { OwnSettings } from "../../record/own-settings.ts";
import { apiListener } from "../api-application.ts";
import type { ApiLimits } from "../api-options.ts";
import type { Agents } from "../api-ports.ts";
import type { OpenStreams } from "../events/open-streams.ts";
import { BlobFiles } from "../files/blob-files.ts";
import { KeyedCommands } from "../keyed-commands.ts";
import { takesAnyType } from "../routes/file-routes.ts";
import { DocumentedAnswers } from "./documented-answers.ts";
import { MemoryAgents } from "./memory-agents.ts";

/** The agents that these tests know. */
const AGENTS = ["supervisor", "writer", "critic", "weather"];

/** An answer of the API, read whole. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // Tests state the expected body themselves.
  // biome-ignore lint/suspicious/noExplicitAny: bodies are checked against the document when they come
  readonly json: any;
}

/** What the API stands on, where it matters to a test. */
export interface ApiServerOptions {
  readonly agents?: Agents;
  readonly environment?: Environment;
  readonly thoughts?: LiveThoughts;
  readonly deadLetters?: DeadLetters;
  readonly draining?: AbortSignal;
  readonly streams?: OpenStreams;
  readonly turns?: LoopShares;
  /** Whoever asks an agent something waits for it. */
  readonly beforeRun?: () => Promise<void>;
  /** By default the user named by a header, as an owner of the workspace `default`. */
  readonly identityOf?: (request: IncomingMessage) => Identity | Promise<Identity>;
}

/** The API on its own port, over a real journal; every response is checked against the OpenAPI document. */
export class ApiServer {
  readonly journal: Journal;
  readonly sessions: Sessions;
  readonly people: People;
  readonly revocations: Revocations;
  readonly audit: AuditLog;
  readonly logged: string[] = [];
  readonly url: string;
  readonly port: number;
  readonly #server: ReturnType<typeof guardedServer>;
  readonly #answers: DocumentedAnswers;

  private constructor(
    journal: Journal,
    sessions: Sessions,
    logged: string[],
    server: ReturnType<typeof guardedServer>,
    port: number,
    answers: DocumentedAnswers,
    revocations: Revocations,
  ) {
    this.journal = journal;
    this.sessions = sessions;
    this.logged = logged;
    this.#server = server;
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.#answers = answers;
    this.revocations = revocations;
    this.people = new People(journal, revocations);
    this.audit = new AuditLog(journal);
  }

  static async start(
    limits: Partial<ApiLimits> = {},
    journal: Journal = openMemoryJournal({ projections: journalTables() }),
    options: ApiServerOptions = {},
  ): Promise<ApiServer> {
    const { agents = new MemoryAgents(), environment = {}, thoughts = new LiveThoughts() } = options;
    const { deadLetters = new DeadLetters(journal.database, () => undefined) } = options;
    const sessions = new Sessions(journal, { noted: commandAudit });
    const files = new BlobFiles(journal);
    const logged: string[] = [];
    const log = pino({ level: "error" }, { write: (line) => void logged.push(line) });
    const keys = await KeyStore.open(journal, log);
    const revocations = new Revocations(journal, log);
    await revocations.start();
    const { identityOf = namedByHeader, draining = new AbortController().signal } = options;
    const listener = apiListener(
      {
        ...{ sessions, files, log, limits, thoughts, version: "1.2.3" },
        ...{ agents, deadLetters, draining, turns: options.turns },
        ...(options.streams && { streams: options.streams }),
        settings: new OwnSettings({
          version: "1.2.3",
          journal,
          environment,
          model: "offline",
          agents: () => [],
        }),
        runs: {
          async newRun(_, session, { agent = session.agent ?? "supervisor" } = {}) {
            await options.beforeRun?.();
            if (!AGENTS.includes(agent)) throw new UnknownAgentError(agent, AGENTS);
            const runId = `run_${randomUUID()}`;
            return { runId, agent, agentUrl: `http://127.0.0.1/${agent}`, contextId: runId };
          },
        },
        ...{ keys, audit: new AuditLog(journal), identityOf },
        commands: new KeyedCommands(journal, randomBytes(32)),
        people: new People(journal, revocations),
        shares: new ShareLinks(journal, sessions, {
          revocations,
          // Users of these tests have no keys.
          access: { ofUser: async () => new AbortController().signal },
        }),
      },
      (_, response) => response.writeHead(404).end("not the API's"),
    );
    const server = guardedServer(listener, {
      checksType: (path) => takesAnyType(path) || adapterAt(path) !== undefined,
      refusalAt: guardRefusal,
    });
    const port = await listen(server, { host: "127.0.0.1", port: 0 });
    const document = await (await fetch(`http://127.0.0.1:${port}/api/v1/openapi.json`)).json();
    return new ApiServer(
      journal,
      sessions,
      logged,
      server,
      port,
      new DocumentedAnswers(document),
      revocations,
    );
  }

  /** Asks, and checks that the answer is one that the document knows. */
  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const typed = body === undefined ? {} : { "Content-Type": "application/json" };
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { ...typed, ...headers },
      ...(body !== undefined && {
        body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
      }),
    });
    const text = await response.text();
    const type = response.headers.get("content-type") ?? "";
    const json = /json$/.test(type.split(";")[0] ?? "") ? JSON.parse(text) : undefined;
    const answer = { status: response.status, headers: response.headers, text, json };
    if (path.startsWith("/api/v1/")) this.#answers.check(method, path, { ...answer, type });
    return answer;
  }

  /** A session with one message, whose run is under way. */
  async begun(content = "Hello"): Promise<{ id: string; runId: string; messageId: string }> {
    const { json: created } = await this.ask("POST", "/api/v1/sessions", { title: "Begun" });
    const { id } = created.session;
    const { json, status } = await this.ask("POST", `/api/v1/sessions/${id}/messages`, { content });
    expect(status).toBe(201);
    return { id, runId: json.run.id, messageId: json.message.id };
  }

  /** What the gateway does when an agent sends something. */
  async brings(sessionId: string, runId: string, events: readonly SessionEvent[]): Promise<void> {
    const lease = await this.journal.acquire(runStream(runId));
    await new OpenSession(this.journal, sessionId).append(lease, runId, events, [{ frame: 1 }]);
    await lease.release();
  }

  /** Ends a run with an answer. */
  async answers(sessionId: string, runId: string, content: string): Promise<void> {
    const messageId = `answer-${runId}`;
    await this.brings(sessionId, runId, [
      { type: "agent_token_start", runId, artifactId: "a", channel: "answer" },
      { type: "agent_token", runId, artifactId: "a", text: content },
      { type: "agent_complete", runId, state: "completed", messageId, content },
    ]);
  }

  /** How many connections are open now. */
  connections(): Promise<number> {
    return new Promise((resolve, reject) =>
      this.#server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await this.revocations.stop();
    await closeServer(this.#server);
    await this.journal.close();
  }
}

function namedByHeader({ headers }: IncomingMessage): Identity {
  const owner = String(headers["x-test-owner"] ?? "ann");
  // Who runs the platform is in its own workspace; the others here are at home.
  const role = headers["x-test-role"] === "editor" ? "editor" : "owner";
  return { owner, name: owner, role, workspace: "default" };
}
