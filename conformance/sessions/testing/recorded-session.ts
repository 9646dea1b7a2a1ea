import { A2AClient } from "@parley/a2a";
import { type Journal, openMemoryJournal } from "@parley/journal";
import {
  type AgentCalls,
  activeRun,
  gatewayClientLimits,
  OpenSession,
  type RunLimits,
  type RunQueue,
  RunRunner,
  type SessionCommand,
  type SessionEvent,
  type SessionState,
  sessionStream,
} from "@parley/sessions";
import { onTestFinished } from "vitest";

const LIMITS = { ...gatewayClientLimits, late: 20, poll: { firstDelayMs: 10, maxDelayMs: 50 } };

const agents: AgentCalls = {
  clientFor({ agentUrl }) {
    const policy = { allowOrigins: [new URL(agentUrl).origin] };
    return A2AClient.connect(agentUrl, { policy, limits: LIMITS });
  },
  alternatives: () => [],
};

/** One session with its gateway, ended with the test. */
export class RecordedSession {
  readonly #journal: Journal = openMemoryJournal({});
  readonly #session = new OpenSession(this.#journal, "s1");
  readonly #limits: Partial<RunLimits>;
  #tell: (sessionId: string, events: readonly SessionEvent[]) => void = () => {};
  #runner: RunRunner | undefined;

  private constructor(limits: Partial<RunLimits>) {
    this.#limits = { patienceMs: 2_000, ...limits };
  }

  static async start(limits: Partial<RunLimits> = {}): Promise<RecordedSession> {
    const session = new RecordedSession(limits);
    await session.#session.carryOut({ type: "create", workspace: "w", owner: "ann" });
    await session.#start();
    onTestFinished(async () => {
      await session.#runner?.stop();
      await session.#journal.close();
    });
    return session;
  }

  /** Replaces the gateway, which continues at once. */
  async takeOver(): Promise<void> {
    await this.#runner?.stop();
    await this.#start();
  }

  async say(command: SessionCommand): Promise<SessionState> {
    const { index } = await this.#session.current();
    const { state } = await this.#session.carryOut(command);
    this.#tell("s1", await this.events(index));
    return state;
  }

  /** Calls an agent and returns the run. */
  async ask(content: string, agentUrl: string): Promise<string> {
    const { runs } = await this.#session.current();
    const runId = `r${runs.size + 1}`;
    const run = { runId, agent: "agent", agentUrl, contextId: runId };
    await this.say({ type: "postMessage", messageId: `${runId}-m`, content, run });
    return runId;
  }

  async events(after = 0): Promise<SessionEvent[]> {
    const events: SessionEvent[] = [];
    for (;;) {
      const page = await this.#journal.read<SessionEvent>(sessionStream("s1"), after + events.length);
      if (page.length === 0) return events;
      events.push(...page.map(({ payload }) => payload));
    }
  }

  async until(isSo: (state: SessionState) => boolean): Promise<SessionState> {
    for await (const _ of this.#journal.follow(sessionStream("s1"), 0)) {
      const state = await this.#session.current();
      if (isSo(state)) return state;
    }
    throw new Error("The journal was closed");
  }

  /** The session, once none of its runs is active. */
  ended(): Promise<SessionState> {
    return this.until((state) => state.runs.size > 0 && activeRun(state) === undefined);
  }

  async #start(): Promise<void> {
    const queue: RunQueue = {
      open: async () => {
        const run = activeRun(await this.#session.current());
        if (run?.status !== "running" && run?.status !== "waiting") return [];
        return [{ sessionId: "s1", runId: run.id, status: run.status }];
      },
      onCommitted: (listener) => {
        this.#tell = listener;
        return () => {};
      },
    };
    const session = () => this.#session;
    this.#runner = new RunRunner({ journal: this.#journal, agents, queue, session, limits: this.#limits });
    await this.#runner.start();
  }
}

/** What a reader of the events has of one channel, text by text. */
export function textsOf(events: readonly SessionEvent[], channel: string): string[] {
  const texts = new Map<string, string>();
  const channels = new Map<string, string>();
  for (const event of events) {
    if (event.type === "agent_token_start") {
      channels.set(event.artifactId, event.channel);
      texts.set(event.artifactId, event.restart ? "" : (texts.get(event.artifactId) ?? ""));
    } else if (event.type === "agent_token")
      texts.set(event.artifactId, (texts.get(event.artifactId) ?? "") + event.text);
  }
  return [...texts].filter(([id]) => channels.get(id) === channel).map(([, text]) => text);
}
