import { randomUUID } from "node:crypto";
import {
  type A2AClient,
  A2AError,
  ClientError,
  type ExecutionContext,
  type Message,
  type Metadata,
  OutcomeUnknownError,
  type Part,
  provenance,
  type StreamResponse,
  TaskCanceledError,
  type Usage,
  withMember,
} from "@parley/a2a";
import type { Answer } from "../answer.ts";
import type { AgentDirectory, Delegate } from "./agent-directory.ts";
import { cancelDelegate } from "./cancel-delegate.ts";
import { delegateStream } from "./delegate-stream.ts";
import { type DelegationLimits, LimitExceededError } from "./delegation-limits.ts";
import type { DelegationEntry, DelegationLog } from "./delegation-log.ts";
import type { DelegationObserver } from "./delegation-observer.ts";
import { Forwarding } from "./forwarding.ts";
import type { HandedDown } from "./handed-down.ts";
import { notifyEnd, notifyStart, titled } from "./notifications.ts";
import type { OriginIds } from "./origin-ids.ts";
import type { Questions } from "./questions.ts";

const MOST_TEXT = 262_144;

/** What all delegations of one execution share. */
export interface DelegationSetting {
  readonly context: ExecutionContext;
  readonly directory: AgentDirectory;
  readonly answer: Answer;
  /** What is certain of the answer, where an earlier execution was cut short. */
  readonly before: string;
  readonly log: DelegationLog;
  readonly ids: OriginIds;
  readonly questions: Questions;
  readonly handed: HandedDown;
  readonly limits: DelegationLimits;
  readonly observer: DelegationObserver;
  /** How many tokens are left for it. */
  tokensLeft(): number;
}

/** What is asked of whom. */
export interface DelegationRequest {
  /** The same id means the same delegation, across restarts. */
  readonly id: string;
  readonly agent: string;
  readonly request: string;
  /** Its words are the answer. */
  readonly isAnswer: boolean;
}

/** How it ended, or that it waits for a person. */
export type DelegationEnd =
  | {
      readonly state: "completed" | "failed" | "canceled" | "unknown";
      readonly text: string;
      readonly usage?: Usage | undefined;
    }
  | {
      readonly state: "waiting";
      readonly text: string;
      readonly question: readonly Part[];
      /** Who asks. */
      readonly metadata: Metadata;
    };

type Ended = Exclude<DelegationEnd, { state: "waiting" }> & {
  readonly mayFallBack?: boolean;
  /** What the user has to know of it. */
  readonly warning?: string | undefined;
};

/** One task that is given to another agent, and followed until it has ended or asks. */
export class Delegation {
  readonly #setting: DelegationSetting;
  readonly #request: DelegationRequest;
  readonly #signal: AbortSignal;
  readonly #began = performance.now();
  readonly #before: string;
  #resumed: boolean;

  constructor(setting: DelegationSetting, request: DelegationRequest, signal: AbortSignal) {
    this.#setting = setting;
    this.#request = request;
    this.#signal = signal;
    this.#resumed = setting.log.get(request.id)?.began !== undefined;
    this.#before = this.#resumed ? setting.before : setting.answer.text;
  }

  /** Never rejects but for a shutdown: what goes wrong is an end too. */
  async run(): Promise<DelegationEnd> {
    const { log } = this.#setting;
    const { id } = this.#request;
    const ended = log.get(id)?.ended;
    if (ended) return ended;
    const tried = new Set<string>();
    for (let agent = log.get(id)?.began?.agent ?? this.#request.agent; ; ) {
      const end = await this.#attempt(agent);
      if (end.state === "waiting") return end;
      tried.add(agent);
      const next = end.mayFallBack ? this.#alternative(agent, tried) : undefined;
      if (!next) return this.#end(agent, end);
      if (this.#request.isAnswer) await this.#setting.answer.keep(this.#before);
      await this.#setting.context.working(
        `↪️ Agent ${titled(agent)} failed: ${end.text}\nAgent ${titled(next)} is asked instead.`,
      );
      this.#resumed = false;
      agent = next;
    }
  }

  #alternative(agent: string, tried: ReadonlySet<string>): string | undefined {
    const { directory, handed } = this.#setting;
    const fits = (other: Delegate) => !tried.has(other.name) && handed.refusal(other) === undefined;
    return directory.alternatives(agent).find(fits)?.name;
  }

  async #attempt(agent: string): Promise<Ended | Extract<DelegationEnd, { state: "waiting" }>> {
    const { directory, handed, log, context, questions, limits, ids, answer, observer } = this.#setting;
    const { id: callId, request, isAnswer } = this.#request;
    const delegate = directory.delegates().find(({ name }) => name === agent);
    const refusal = delegate && handed.refusal(delegate);
    if (!delegate || refusal) return failed(refusal ?? `There is no agent ${agent}`);
    if (!this.#resumed) {
      await log.record({ id: callId, began: { agent, key: randomUUID() } });
      await notifyStart(context, { callId, agent }, request);
    }
    const forwarding = new Forwarding({
      ...{ context, agent, callId, ids, limits },
      ...(isAnswer && { answer: { answer, before: this.#before } }),
    });
    try {
      const client = await directory.client(agent).catch((error: Error) => error);
      if (client instanceof Error) return { ...failed(client.message), mayFallBack: true };
      for (;;) {
        const known = log.get(callId) ?? { id: callId };
        const waits = known.asked !== undefined && !known.replied;
        if (!waits) await questions.during(() => this.#follow(client, forwarding, known));
        const asked = waits ? known.asked : this.#questionIn(forwarding);
        if (!asked) {
          await forwarding.finish();
          if (forwarding.leftOut > 0) observer.contained("artifacts");
          return ending(forwarding, agent);
        }
        if (!waits) await this.#ask(agent, asked);
        if (!(await questions.reply(callId))) {
          const metadata = this.#origin(agent);
          return { state: "waiting", text: textOf(asked), question: asked, metadata };
        }
        this.#resumed = false;
      }
    } catch (error) {
      return await this.#failed(error, { agent, forwarding });
    }
  }

  /** Follows the sub-agent until it has ended or asks. */
  async #follow(client: A2AClient, forwarding: Forwarding, known: DelegationEntry): Promise<void> {
    const { log, limits } = this.#setting;
    const { id } = this.#request;
    const message = this.#message(known.began?.key ?? id);
    const { timeMs } = limits;
    const tooLong = new AbortController();
    const timer = setTimeout(() => {
      const agent = known.began?.agent ?? id;
      tooLong.abort(
        new LimitExceededError(agent, "time", `took longer than ${Math.round(timeMs / 1_000)} s`),
      );
    }, timeMs).unref();
    const signal = AbortSignal.any([this.#signal, tooLong.signal]);
    const events = delegateStream({ client, message, known, resumed: this.#resumed, signal });
    let isFirst = true;
    try {
      for await (const { event } of events) {
        if (isFirst && known.replied && !known.delivered) log.recordLater({ id, delivered: true });
        isFirst = false;
        const task = taskIn(event);
        if (task && log.get(id)?.task !== task) log.recordLater({ id, task });
        await forwarding.accept(event);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #message(key: string): Message {
    const { context, handed, tokensLeft } = this.#setting;
    return {
      messageId: key,
      contextId: context.contextId,
      role: "ROLE_USER",
      parts: [{ text: this.#request.request }],
      metadata: handed.metadata({ tokens: tokensLeft() }),
    };
  }

  #questionIn({ state, message }: Forwarding): readonly Part[] | undefined {
    if (state !== "TASK_STATE_INPUT_REQUIRED" && state !== "TASK_STATE_AUTH_REQUIRED") return undefined;
    return message?.parts ?? [{ text: "The agent needs something to go on, and does not say what." }];
  }

  // At once, and not only when nothing else can run: the person may answer meanwhile.
  async #ask(agent: string, question: readonly Part[]): Promise<void> {
    const { log, context } = this.#setting;
    const { id } = this.#request;
    await log.record({ id, asked: [...question] });
    await context.working([{ text: `❓ Agent ${titled(agent)} asks:\n` }, ...question], this.#origin(agent));
  }

  #origin(agent: string): Metadata {
    const { id } = this.#request;
    const taskId = this.#setting.log.get(id)?.task;
    const origin = { agent, callId: id, depth: 1, ...(taskId !== undefined && { taskId }) };
    return withMember(undefined, provenance, origin);
  }

  async #failed(
    error: unknown,
    { agent, forwarding }: { agent: string; forwarding: Forwarding },
  ): Promise<Ended> {
    const { context, observer } = this.#setting;
    const { signal } = context;
    if (error instanceof LimitExceededError) observer.contained(error.limit);
    const canceled = signal.reason instanceof TaskCanceledError;
    // At a shutdown the sub-agent works on: whoever goes on with this task finds it.
    if (signal.aborted && !canceled) throw signal.reason;
    const stopped = canceled || this.#signal.aborted || error instanceof LimitExceededError;
    if (stopped) await this.#cancel(agent);
    if (canceled) return { state: "canceled", text: "The user canceled it." };
    if (this.#signal.aborted) return failed("It took longer than the time that was left, and was stopped.");
    if (error instanceof LimitExceededError) return { ...failed(error.message), usage: forwarding.usage };
    if (error instanceof OutcomeUnknownError) return { state: "unknown", text: error.message };
    if (error instanceof ClientError || error instanceof A2AError)
      return { ...failed(error.message), mayFallBack: true };
    throw error;
  }

  async #cancel(agent: string): Promise<void> {
    const { log, directory, limits } = this.#setting;
    const { id } = this.#request;
    const task = log.get(id)?.task;
    if (task === undefined) return;
    const canceled = await directory.client(agent).then(
      (client) => cancelDelegate(client, task, limits.cancelMs),
      (error: Error) => ({ acknowledged: false, detail: error.message, ms: 0 }),
    );
    await log.record({ id, canceled });
  }

  async #end(agent: string, { state, text, usage, warning }: Ended): Promise<DelegationEnd> {
    const { log, context, answer } = this.#setting;
    const { id, isAnswer } = this.#request;
    if (isAnswer && state !== "completed" && !context.signal.aborted) await answer.keep(this.#before);
    const said = isAnswer ? answer.text.length - this.#before.length : 0;
    const kept =
      text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}\n[cut here: ${text.length} characters]` : text;
    log.recordLater({ id, ended: { state, text: kept, said } });
    if (!context.signal.aborted) {
      if (warning) await context.working(`⚠️ Agent ${titled(agent)}: ${warning}`, this.#origin(agent));
      const outcome = state === "completed" ? "succeeded" : state;
      const reason = state === "completed" ? undefined : text.split("\n", 1)[0]?.slice(0, 300);
      const durationMs = performance.now() - this.#began;
      await notifyEnd(context, { callId: id, agent }, { outcome, durationMs, ...(reason && { reason }) });
    }
    return { state, text: kept, usage };
  }
}

function taskIn(event: StreamResponse): string | undefined {
  if ("task" in event) return event.task.id;
  return "statusUpdate" in event ? event.statusUpdate.taskId : undefined;
}

function failed(text: string): Ended {
  return { state: "failed", text };
}

function textOf(parts: readonly Part[]): string {
  return parts.map(({ text = "" }) => text).join("");
}

function ending(forwarding: Forwarding, agent: string): Ended {
  const { state, message, text, usage, leftOut } = forwarding;
  const words = textOf(message?.parts ?? []);
  switch (state) {
    case "TASK_STATE_COMPLETED": {
      const warning =
        leftOut > 0 ? `${leftOut} further artifacts were too many, and were left out.` : undefined;
      return { state: "completed", text: warning ? `${text}\n\n[${warning}]` : text, usage, warning };
    }
    case "TASK_STATE_CANCELED":
      return { state: "canceled", text: words || `${agent} canceled it.`, usage };
    case "TASK_STATE_FAILED":
    case "TASK_STATE_REJECTED":
      return {
        state: "failed",
        text: words || `${agent} failed, and did not say why.`,
        usage,
        mayFallBack: true,
      };
    default:
      return {
        state: "failed",
        text: `${agent} stopped without saying how it ended.`,
        usage,
        mayFallBack: true,
      };
  }
}
