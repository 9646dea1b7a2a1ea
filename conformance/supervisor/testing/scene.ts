import {
  A2AClient,
  type A2AClientOptions,
  type Message,
  metricClientObserver,
  type StreamedEvent,
  silentLog,
  taskTables,
} from "@parley/a2a";
import { type Journal, openMemoryJournal } from "@parley/journal";
import { AgentRegistry, ListedAgents } from "@parley/registry";
import { type Metrics, startMetrics } from "@parley/server";
import { type DelegationEntry, delegationIn, Supervisor, type SupervisorOptions } from "@parley/supervisor";
import { onTestFinished } from "vitest";
import { type Checker, startChecker } from "../../checker/index.ts";
import { listening } from "../../peers/peer-server.ts";
import { type ScriptedEndpoint, type ScriptedTurn, startScriptedEndpoint } from "./scripted-endpoint.ts";
import { SeenAnswer } from "./seen-answer.ts";

export interface SceneOptions extends Pick<SupervisorOptions, "delegation" | "limits"> {
  /** What the model does; the offline model when left out. */
  readonly turns?: readonly ScriptedTurn[];
  /** Who can be delegated to, by the name that the model knows. */
  readonly peers: Readonly<Record<string, { readonly url: string | (() => string) }>>;
  readonly client?: A2AClientOptions["limits"];
}

/** Pauses that a test does not notice. */
const QUICK = { tries: 3, firstDelayMs: 5, maxDelayMs: 20 };

/**
 * The supervisor with its registry and a scripted model, all over HTTP, until the test ends: a checker stands between
 * it and its caller, and one before each agent.
 */
export class Scene {
  /** Between the caller and the supervisor. */
  readonly checker: Checker;
  /** Between the supervisor and each agent. */
  readonly checkers: ReadonlyMap<string, Checker>;
  readonly model: ScriptedEndpoint;
  readonly registry: AgentRegistry;
  readonly client: A2AClient;
  readonly #journal: Journal;
  readonly #metrics: Metrics;

  private constructor(
    parts: Pick<Scene, "checker" | "checkers" | "model" | "registry" | "client">,
    journal: Journal,
    metrics: Metrics,
  ) {
    ({ checker: this.checker, checkers: this.checkers, model: this.model } = parts);
    ({ registry: this.registry, client: this.client } = parts);
    this.#journal = journal;
    this.#metrics = metrics;
  }

  static async start(options: SceneOptions): Promise<Scene> {
    const { turns = [], peers, client: limits, ...bounds } = options;
    const checkers = new Map<string, Checker>();
    for (const [name, { url }] of Object.entries(peers)) checkers.set(name, await startChecker(url));
    const model = await startScriptedEndpoint(turns);
    const metrics = startMetrics("test");
    const journal = openMemoryJournal({ projections: taskTables });
    const listed = new ListedAgents([...checkers].map(([name, { url }]) => ({ name, url, vouched: true })));
    const registry = new AgentRegistry({
      sources: [listed],
      policy: {},
      client: {
        observer: metricClientObserver(metrics.meter),
        limits: {
          retry: QUICK,
          reconnect: QUICK,
          poll: { firstDelayMs: 5, maxDelayMs: 20 },
          late: 20,
          ...limits,
        },
      },
      ...{ firstRetryMs: 20, longestRetryMs: 50, pollMs: 50 },
    });
    const environment = { OPENAI_COMPATIBLE_BASE_URL: model.url };
    const platform = {
      ...{ journal, log: silentLog, meter: metrics.meter, environment, fetch },
      model: options.turns ? "openai-compatible:scripted" : "offline",
    };
    const supervisor = new Supervisor({
      ...{ platform, registry, version: "1.0.0", contextKey: Buffer.alloc(32, 7) },
      ...bounds,
    });
    const server = await listening((request, response) => listener(request, response));
    const listener = supervisor.listener(server.url, (_, response) => response.writeHead(404).end());
    await registry.start();
    await supervisor.start();
    const checker = await startChecker(server.url);
    const client = await A2AClient.connect(checker.url, { policy: { allowOrigins: [checker.url] } });
    onTestFinished(async () => {
      await supervisor.stop();
      registry.stop();
      await Promise.all([checker, server, model, ...checkers.values()].map((part) => part.stop()));
      await metrics.stop();
      await journal.close();
    });
    return new Scene({ checker, checkers, model, registry, client }, journal, metrics);
  }

  stream(text: string, more: Partial<Message> = {}): AsyncGenerator<StreamedEvent, void, void> {
    const message = {
      messageId: crypto.randomUUID(),
      role: "ROLE_USER" as const,
      parts: [{ text }],
      ...more,
    };
    return this.client.stream({ message });
  }

  /** Sends this text and returns the whole answer; `each` is called after every event. */
  async ask(
    text: string,
    { each, ...more }: Partial<Message> & { readonly each?: (answer: SeenAnswer) => unknown } = {},
  ): Promise<SeenAnswer> {
    const answer = new SeenAnswer();
    for await (const { event } of this.stream(text, more)) {
      answer.see(event);
      await each?.(answer);
    }
    return answer;
  }

  /** The protocol violations of the supervisor and of its agents. */
  violations(): Readonly<Record<"supervisor" | "agents", readonly string[]>> {
    const rules = (checker: Checker) =>
      checker.report().violations.map(({ rule, detail }) => `${rule}: ${detail}`);
    return { supervisor: rules(this.checker), agents: [...this.checkers.values()].flatMap(rules) };
  }

  /** What the journal has of a task's delegations, change by change. */
  async delegations(taskId: string): Promise<DelegationEntry[]> {
    const events = await this.#journal.read<{ noted?: Parameters<typeof delegationIn>[0] }>(
      `task/${taskId}`,
      0,
      100_000,
    );
    return events.flatMap(({ payload: { noted } }) =>
      noted === undefined ? [] : (delegationIn(noted) ?? []),
    );
  }

  /** The number of agents' protocol violations and exceeded limits, by kind. */
  async oddities(): Promise<Record<string, number>> {
    const text = await this.#metrics.text();
    const counter =
      /^(?:a2a_client_oddities|supervisor_contained)_total\{.*?(?:kind|limit)="(\w+)".*?\} (\d+)/gm;
    const counted = [...text.matchAll(counter)].map(([, kind = "", count]) => [kind, Number(count)] as const);
    return Object.fromEntries(counted.filter(([, count]) => count > 0));
  }
}
