import { randomUUID } from "node:crypto";
import {
  A2AError,
  AgentResponseError,
  ClientError,
  type ExecutionContext,
  isInterrupted,
  type Message,
  type Metadata,
  OutcomeUnknownError,
  type Part,
  provenance,
  type Share,
  type StreamResponse,
  TaskCanceledError,
  Trace,
  textOf,
  UNSPECIFIED_QUESTION,
  withMember,
  withWorkspace,
} from "@parley/a2a";
import { Backoff } from "@parley/journal";
import type { Answer } from "../answer.ts";
import { StepSkippedError } from "../plan/plan-run.ts";
import {
  type AgentDirectory,
  AgentUnreachableError,
  asksToRetry,
  type Delegate,
  findDelegate,
  lostAgentMessage,
  mayPass,
} from "./agent-directory.ts";
import { cancelDelegate, delegateStream } from "./delegate-stream.ts";
import type { DelegationContext } from "./delegation-context.ts";
import {
  boundedText,
  type DelegationEnd,
  type Ended,
  ending,
  failed,
  type Waiting,
} from "./delegation-end.ts";
import {
  type DelegationLimits,
  type DelegationObserver,
  LimitExceededError,
  withinTime,
} from "./delegation-limits.ts";
import type { DelegationEntry, DelegationLog } from "./delegation-log.ts";
import { Forwarding } from "./forwarding.ts";
import { notifyEnd, notifyStart, titled } from "./notifications.ts";
import type { OriginIds } from "./origin-ids.ts";
import type { Questions } from "./questions.ts";

const RETRY = { firstDelayMs: 100, maxDelayMs: 2_000 };

/** What all delegations of one execution share. */
export interface DelegationSetting {
  readonly context: ExecutionContext;
  /** The context id under which other agents work for this task. */
  readonly contextId: string;
  readonly directory: AgentDirectory;
  readonly answer: Answer;
  /** What is certain of the answer of an interrupted execution. */
  readonly before: string;
  readonly log: DelegationLog;
  readonly ids: OriginIds;
  readonly questions: Questions;
  readonly handed: DelegationContext;
  readonly limits: DelegationLimits;
  readonly observer: DelegationObserver;
  tokensLeft(): number;
}

export interface DelegationRequest {
  /** The same id is the same delegation, across restarts. */
  readonly id: string;
  readonly agent: string;
  readonly request: string;
  readonly isAnswer: boolean;
  readonly trace?: Trace | undefined;
}

/** One task of another agent, followed until it has ended or asks. */
export class Delegation {
  readonly #setting: DelegationSetting;
  readonly #request: DelegationRequest;
  readonly #signal: AbortSignal;
  readonly #began = performance.now();
  readonly #before: string;
  #resumed: boolean;
  #traceparent: string | undefined;

  constructor(setting: DelegationSetting, request: DelegationRequest, signal: AbortSignal) {
    this.#setting = setting;
    this.#request = request;
    this.#signal = signal;
    this.#resumed = setting.log.get(request.id)?.began !== undefined;
    this.#before = this.#resumed ? setting.before : setting.answer.text;
  }

  /** Rejects only at a shutdown: a failure is an end too. */
  async run(): Promise<DelegationEnd> {
    const { log } = this.#setting;
    const { id } = this.#request;
    const ended = log.get(id)?.ended;
    if (ended) return ended;
    const tried = new Set<string>();
    for (let agent = log.get(id)?.began?.agent ?? this.#request.agent; ; ) {
      const end = await this.#traced(agent);
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

  #traced(agent: string): Promise<Ended | Waiting> {
    const { id, trace = Trace.from(undefined) } = this.#request;
    const attributes = {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": agent,
      "gen_ai.tool.call.id": id,
      "parley.resumed": this.#resumed,
    };
    return trace.within(`invoke_agent ${agent}`, { kind: "client", attributes }, async (span) => {
      this.#traceparent = span.traceparent;
      const end = await this.#attempt(agent);
      span.set({ "parley.task.state": end.state });
      if (end.state === "failed" || end.state === "unknown") span.fail(end.state);
      return end;
    });
  }

  async #attempt(agent: string): Promise<Ended | Waiting> {
    const { log, context, questions, limits, ids, answer, observer } = this.#setting;
    const { id: callId, isAnswer } = this.#request;
    const forwarding = new Forwarding({
      context,
      agent,
      callId,
      ids,
      limits,
      ...(isAnswer && { answer: { answer, before: this.#before } }),
    });
    try {
      if (!this.#resumed) this.#signal.throwIfAborted();
      const refusal = this.#waits ? undefined : await questions.during(() => this.#refusal(agent));
      if (refusal !== undefined) return failed(refusal);
      if (!this.#resumed) await this.#begin(agent);
      for (;;) {
        const waits = this.#waits;
        if (!waits) await questions.during(() => this.#follow(agent, forwarding));
        const asked = waits ? log.get(callId)?.asked : this.#questionIn(forwarding);
        if (!asked) {
          await forwarding.finish();
          if (forwarding.leftOut > 0) observer.contained("artifacts");
          return ending(forwarding, agent);
        }
        if (!waits) await this.#ask(agent, asked);
        if (!(await questions.reply(callId, this.#signal)))
          return { state: "waiting", text: textOf({ parts: asked }) };
        this.#resumed = false;
      }
    } catch (error) {
      return await this.#failed(error, { agent, forwarding });
    }
  }

  /** Whether it waits for a person: then the agent need not be reachable. */
  get #waits(): boolean {
    const { asked, replied } = this.#setting.log.get(this.#request.id) ?? {};
    return asked !== undefined && !replied;
  }

  /** Why the agent cannot be called; after a restart, unknown agents are waited for. */
  async #refusal(agent: string): Promise<string | undefined> {
    const { directory, context, handed, limits } = this.#setting;
    const lastsMs = context.resumed || this.#resumed ? limits.patienceMs : 0;
    const backoff = new Backoff(RETRY);
    const delegate = await findDelegate(directory, agent, () => backoff.waitWithin(lastsMs, this.#signal));
    return delegate ? handed.refusal(delegate) : `There is no agent ${agent}`;
  }

  /** Records what is sent, so that a resumed execution sends the same. */
  async #begin(agent: string): Promise<void> {
    const { log, context, directory, handed, tokensLeft } = this.#setting;
    const { id, request } = this.#request;
    const handedDown = handed.metadata({ tokens: tokensLeft() });
    const isOurs = directory.delegates().some(({ name, hosted }) => name === agent && hosted);
    const metadata = isOurs ? withWorkspace(handedDown, shareOf(context.owner)) : handedDown;
    // Committed together: a crash leaves both or none.
    void notifyStart(context, { callId: id, agent }, request);
    await log.record({ id, began: { agent, key: randomUUID(), metadata } });
  }

  /** Follows the sub-agent until it has ended or asks, and waits while one that may have begun is unreachable. */
  async #follow(agent: string, forwarding: Forwarding): Promise<void> {
    const { log, context, limits } = this.#setting;
    const { id } = this.#request;
    const backoff = new Backoff(RETRY);
    const time = { agent, timeMs: limits.timeMs, signal: this.#signal };
    for (;;) {
      try {
        return await withinTime(time, (signal) => this.#followOnce(agent, forwarding, { backoff, signal }));
      } catch (error) {
        this.#resumed ||= log.get(id)?.task !== undefined || error instanceof OutcomeUnknownError;
        // Another agent is tried rather than waiting.
        const isWorthWaiting =
          this.#resumed || (asksToRetry(error) && !this.#alternative(agent, new Set([agent])));
        if (this.#signal.aborted || !isWorthWaiting || !mayPass(error)) throw error;
        const isNews = !backoff.isFailing;
        if (!(await backoff.waitWithin(limits.patienceMs, this.#signal))) throw error;
        const text = `⏳ Agent ${titled(agent)} cannot be reached just now, and is waited for.\n`;
        if (isNews) await context.working(text, this.#origin(agent));
      }
    }
  }

  async #followOnce(
    agent: string,
    forwarding: Forwarding,
    { backoff, signal }: { readonly backoff: Backoff; readonly signal: AbortSignal },
  ): Promise<void> {
    const { log, directory, handed } = this.#setting;
    const { id } = this.#request;
    const known = log.get(id) ?? { id };
    const client = await directory.client(agent).catch((error: Error) => {
      throw new AgentUnreachableError(error.message);
    });
    const message = this.#message(known, handed.files(client.card.defaultInputModes));
    const events = await delegateStream({
      client,
      message,
      known,
      signal,
      resumed: this.#resumed,
      traceparent: this.#traceparent,
    });
    let isFirst = true;
    for await (const { event } of events) {
      backoff.reset();
      if (isFirst && known.replied && !known.delivered) log.recordLater({ id, delivered: true });
      isFirst = false;
      const { task, contextId } = placeIn(event);
      if (task && log.get(id)?.task !== task) log.recordLater({ id, task, ...(contextId && { contextId }) });
      await forwarding.accept(event);
      // Some agents keep the stream open while they wait for a person.
      if ("statusUpdate" in event && this.#questionIn(forwarding)) break;
    }
  }

  #message({ id, began }: DelegationEntry, files: readonly Part[] = []): Message {
    const { key = id, metadata } = began ?? {};
    return {
      messageId: key,
      contextId: this.#setting.contextId,
      role: "ROLE_USER",
      parts: [{ text: this.#request.request }, ...files],
      ...(metadata && { metadata }),
    };
  }

  #questionIn({ state, message }: Forwarding): readonly Part[] | undefined {
    if (!state || !isInterrupted(state)) return undefined;
    return message?.parts ?? [{ text: UNSPECIFIED_QUESTION }];
  }

  // Shown at once: the person may answer while others work.
  async #ask(agent: string, question: readonly Part[]): Promise<void> {
    const { log, context } = this.#setting;
    const { id } = this.#request;
    const questions = (log.get(id)?.questions ?? 0) + 1;
    await log.record({ id, asked: [...question], questions });
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
    // At a shutdown the sub-agent works on, and is found by the next execution.
    if (signal.aborted && !canceled) throw signal.reason;
    const isUnbearable = error instanceof LimitExceededError || error instanceof AgentResponseError;
    if (canceled || this.#signal.aborted || isUnbearable) await this.#cancel(agent);
    if (canceled) return { state: "canceled", text: "The user canceled it." };
    if (this.#signal.reason instanceof StepSkippedError)
      return { state: "canceled", text: this.#signal.reason.message };
    if (this.#signal.aborted) return failed("It took longer than the time that was left, and was stopped.");
    if (error instanceof LimitExceededError) return { ...failed(error.message), usage: forwarding.usage };
    if (error instanceof OutcomeUnknownError) return { state: "unknown", text: error.message };
    const isTheirs = error instanceof ClientError || error instanceof A2AError;
    if (!isTheirs && !(error instanceof AgentUnreachableError)) throw error;
    const wasAtWork = this.#setting.log.get(this.#request.id)?.task !== undefined;
    const text = (wasAtWork && lostAgentMessage(agent, error, forwarding.text)) || error.message;
    return { ...failed(text), mayFallBack: true };
  }

  async #cancel(agent: string): Promise<void> {
    const { log, directory, limits } = this.#setting;
    const { id } = this.#request;
    const known = log.get(id);
    if (!known?.began) return;
    const canceled = await directory.client(agent).then(
      (client) => cancelDelegate(client, { known, message: this.#message(known), withinMs: limits.cancelMs }),
      (error: Error) => ({ acknowledged: false, detail: error.message, ms: 0 }),
    );
    await log.record({ id, canceled });
  }

  async #end(agent: string, { state, text, usage, warning }: Ended): Promise<DelegationEnd> {
    const { log, context, answer } = this.#setting;
    const { id, isAnswer } = this.#request;
    if (isAnswer && state !== "completed" && !context.signal.aborted) await answer.keep(this.#before);
    const said = isAnswer ? answer.text.length - this.#before.length : 0;
    const kept = boundedText(text);
    log.recordLater({ id, ended: { state, text: kept, said } });
    if (!context.signal.aborted) {
      if (warning) await context.working(`⚠️ Agent ${titled(agent)}: ${warning}`, this.#origin(agent));
      const outcome = state === "completed" ? "succeeded" : state;
      const why =
        state === "completed" ? {} : { reason: text.split("\n", 1)[0]?.slice(0, 300) ?? "", result: kept };
      const durationMs = performance.now() - this.#began;
      await notifyEnd(context, { callId: id, agent }, { outcome, durationMs, ...why });
    }
    return { state, text: kept, usage };
  }
}

/** The workspace and user in an owner such as `supervisor/home/ann`, or `supervisor/local`. */
function shareOf(owner: string): Share {
  const [, workspace = "", user] = owner.split("/");
  return user === undefined
    ? { workspace: "", user: workspace }
    : { workspace: decodeURIComponent(workspace), user };
}

function placeIn(event: StreamResponse): { readonly task?: string; readonly contextId?: string } {
  if ("task" in event) return { task: event.task.id, contextId: event.task.contextId };
  if (!("statusUpdate" in event)) return {};
  const { taskId: task, contextId } = event.statusUpdate;
  return { task, contextId };
}
