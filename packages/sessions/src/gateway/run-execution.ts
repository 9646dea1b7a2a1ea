import { setTimeout as sleep } from "node:timers/promises";
import { type A2AClient, followTask, type StreamedEvent, Trace } from "@parley/a2a";
import { Backoff, type Lease } from "@parley/journal";
import { configurationIn } from "../domain/session-configuration.ts";
import type { SessionEvent } from "../domain/session-event.ts";
import type { Run, SessionState } from "../domain/session-state.ts";
import { type OpenSession, RunEndedError } from "../open-session.ts";
import type { AgentAddress } from "./agent-calls.ts";
import { findBegun, replied } from "./agent-stream.ts";
import { InputDelivery, type PendingInput, pendingInputs } from "./input-delivery.ts";
import { thoughtIn, withoutThinking } from "./live-thoughts.ts";
import { RunClosing } from "./run-closing.ts";
import { judge, wasNotSent } from "./run-failure.ts";
import { framed, type RunFrame } from "./run-frame.ts";
import { SilenceWatch } from "./run-limits.ts";
import { RunMemory } from "./run-memory.ts";
import { firstMessage } from "./run-message.ts";
import { followRun } from "./run-news.ts";
import { RunRecord } from "./run-record.ts";
import { noteEnded } from "./run-retention.ts";
import type { RunReference, RunSetting } from "./run-setting.ts";
import { attributed } from "./transform/open-questions.ts";

/** Streams in a row that end without saying anything new, before the run fails. */
const MAX_FRUITLESS = 3;

/** The run as it is, and what is to be sent to its agent now. */
interface Turn {
  readonly state: SessionState;
  readonly run: Run;
  readonly reply: PendingInput | undefined;
}

/** One run under its lease, from where it stands to its end, or until it waits for a person. */
export class RunExecution {
  readonly #setting: RunSetting;
  readonly #run: RunReference;
  readonly #lease: Lease;
  readonly #memory: RunMemory;
  readonly #session: OpenSession;
  readonly #cancelled = new AbortController();
  /** Aborted when the events of the run cannot be followed. */
  readonly #followFailed = new AbortController();
  readonly #signal: AbortSignal;
  readonly #tried = new Set<string>();
  readonly #input: InputDelivery;
  readonly #backoff = new Backoff({ firstDelayMs: 100, maxDelayMs: 1_000 });
  readonly #closing: RunClosing;
  #record: RunRecord;
  #standIn: AgentAddress | undefined;
  #fruitless = 0;
  #hasHeard = false;
  #traceparent: string | undefined;

  private constructor(
    setting: RunSetting,
    run: RunReference,
    lease: Lease,
    memory: RunMemory,
    stop: AbortSignal,
  ) {
    this.#setting = setting;
    this.#run = run;
    this.#lease = lease;
    this.#memory = memory;
    this.#session = setting.session(run.sessionId);
    this.#record = new RunRecord(this.#session, lease, run.runId);
    this.#signal = AbortSignal.any([lease.signal, stop, this.#cancelled.signal, this.#followFailed.signal]);
    this.#closing = new RunClosing({ setting, run, lease, memory });
    this.#input = new InputDelivery({
      runId: run.runId,
      session: this.#session,
      memory,
      blobs: setting.journal.blobs,
      delivered: (input) => this.#delivered(input),
      undelivered: (error) => setting.observer.undelivered(run, error),
    });
  }

  /** Resolves when there is nothing more to do for now; rejects when the run has to be taken again. */
  static async carryOut(
    setting: RunSetting,
    run: RunReference,
    lease: Lease,
    stop: AbortSignal,
  ): Promise<void> {
    const memory = await RunMemory.of(setting.journal, run.runId);
    // The previous owner may have died before noting it.
    if (memory.hasEnded) return noteEnded(setting.journal, run.runId);
    await new RunExecution(setting, run, lease, memory, stop).#traced();
  }

  /** An adopted task is traced by its caller. */
  async #traced(): Promise<void> {
    if (this.#memory.asked?.adopted) return this.#execute();
    const { sessionId, runId } = this.#run;
    const run = (await this.#session.current()).runs.get(runId);
    const agent = run ? this.#address(run).agent : "";
    const attributes = {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": agent,
      "gen_ai.conversation.id": sessionId,
      "parley.run.id": runId,
      "parley.resumed": this.#memory.isKnown,
    };
    const trace = Trace.from(run?.traceparent, this.#setting.tracing);
    await trace.within(`invoke_agent ${agent}`, { kind: "client", attributes }, async (span) => {
      this.#traceparent = span.traceparent;
      await this.#execute();
    });
  }

  async #execute(): Promise<void> {
    const { journal, observer, dispatched } = this.#setting;
    const { sessionId, runId } = this.#run;
    const { index } = await this.#session.current();
    const watching = new AbortController();
    const signal = AbortSignal.any([watching.signal, this.#signal]);
    const news = followRun({ journal, sessionId, runId, after: index, signal }, (event) =>
      this.#handleNews(event),
    );
    const watch = news.catch((error: unknown) => this.#followFailed.abort(error));
    try {
      observer.taken(this.#run, this.#memory.isKnown);
      await this.#add({ taken: { sessionId } });
      while (await this.#step());
      dispatched.forget(runId);
    } catch (error) {
      // The new owner sees to its end.
      if (this.#lease.signal.aborted) return;
      if (!(error instanceof RunEndedError) && !this.#cancelled.signal.aborted) {
        if (this.#signal.aborted) return;
        throw error;
      }
      await this.#afterEnd();
      dispatched.forget(runId);
    } finally {
      watching.abort();
      await watch;
    }
  }

  #handleNews(event: SessionEvent): void {
    if (event.type === "agent_cancelled") {
      const stop = () => this.#cancelled.abort(new RunEndedError(this.#run.runId, "cancelled"));
      // An agent that has not named its task could not be stopped: it gets a moment.
      if (this.#memory.transform.taskId !== undefined || !this.#memory.asked) stop();
      else setTimeout(stop, this.#setting.limits.cancelMs).unref();
    } else if (event.type === "user_message" || event.type === "approval_answered") {
      this.#input.notify();
    }
  }

  /** Resolves with true if there is more to do. */
  async #step(): Promise<boolean> {
    const { transform } = this.#memory;
    await this.#record.written();
    const state = await this.#session.current();
    const run = state.runs.get(this.#run.runId);
    if (!run || (run.status !== "running" && run.status !== "waiting"))
      throw new RunEndedError(this.#run.runId, run?.status);
    if (transform.isOver) return this.#finish(run);
    const [next] = pendingInputs(state, run.id, this.#memory.told);
    const waits = transform.waitingFor !== undefined;
    if (waits && !next) return false;
    try {
      await this.#follow({ state, run, reply: waits ? next : undefined });
    } catch (error) {
      return this.#afterFailure(run, error as Error);
    }
    if (++this.#fruitless < MAX_FRUITLESS || transform.isOver || transform.waitingFor !== undefined)
      return true;
    return this.#fail(run, `${this.#address(run).agent} stopped without saying how it ended`);
  }

  async #follow(turn: Turn): Promise<void> {
    const { limits, agents, journal } = this.#setting;
    const { transform } = this.#memory;
    const address = this.#address(turn.run);
    const client = await agents.clientFor(address, turn.state);
    const { agent } = address;
    const asker = { agent, isSupervisor: agents.isSupervisor?.(agent) ?? false };
    const isUnnamed = () => this.#memory.asked !== undefined && transform.taskId === undefined;
    const silence = new SilenceWatch(agent, { limits, isUnnamed });
    const over = new AbortController();
    const signal = AbortSignal.any([this.#signal, silence.signal, over.signal]);
    this.#input.use(client, over.signal);
    try {
      let isFirst = true;
      for await (const sent of this.#stream(client, turn, signal)) {
        silence.heard();
        this.#backoff.reset();
        if (isFirst && turn.reply) await this.#delivered(turn.reply);
        isFirst = false;
        const kept = turn.run.thinking ? sent : this.#deliverThought(sent);
        const { event, frame, files } = await framed(kept, journal.blobs);
        for (const file of files) await this.#setting.keepFile?.(turn.state, file);
        const told = transform
          .accept(event, { corrects: sent.gap === "replacement" })
          .map((one) => (one.type === "approval_requested" ? attributed(one, asker) : one));
        this.#setting.dispatched.noteTask(this.#run.runId, transform.taskId);
        const events = [...told, ...(await this.#standingAnswers(told))];
        if (events.length > 0) this.#noteFirstEvent();
        await this.#add(frame, events);
        if (!transform.isOver && !isUnnamed()) silence.check();
        // What comes after the end may still correct it.
        if (transform.waitingFor !== undefined) break;
        this.#input.send();
      }
    } finally {
      silence.stop();
      over.abort();
      await this.#input.idle();
    }
  }

  /**
   * Answers what the session's configuration always allows: question and answer are recorded together. A tool that is
   * allowed to no agent in particular is asked about, because any agent may have had it allowed.
   */
  async #standingAnswers(events: readonly SessionEvent[]): Promise<readonly SessionEvent[]> {
    const asked = events.filter((event) => event.type === "approval_requested");
    if (asked.length === 0) return [];
    const { allowedTools = [] } = configurationIn((await this.#session.current()).config);
    return asked
      .filter((one) => allowedTools.some(({ agent, tool }) => agent === one.agent && tool === one.tool))
      .map(({ runId, approvalId }) => {
        return { type: "approval_answered", runId, approvalId, decision: "approved", always: true };
      });
  }

  /** Delivers a thought to those who watch now, and leaves it out of the record. */
  #deliverThought(sent: StreamedEvent): StreamedEvent {
    const thought = thoughtIn(this.#run.runId, sent.event);
    if (thought) this.#setting.thoughts.tell(this.#run.sessionId, thought);
    return withoutThinking(sent);
  }

  #noteFirstEvent(): void {
    this.#fruitless = 0;
    if (!this.#hasHeard) this.#setting.observer.heard(this.#run);
    this.#hasHeard = true;
  }

  async *#stream(
    client: A2AClient,
    { state, run, reply }: Turn,
    signal: AbortSignal,
  ): AsyncGenerator<StreamedEvent, void, void> {
    const { journal, dispatched, agents } = this.#setting;
    const { transform, cursor, asked, restarts } = this.#memory;
    const { taskId } = transform;
    if (taskId !== undefined && reply)
      return yield* replied(client, await this.#input.messageFor(client, reply, taskId), { signal, cursor });
    if (taskId !== undefined) return yield* followTask(client, taskId, { signal, cursor });
    const key = asked?.key ?? (restarts === 0 ? run.id : `${run.id}-${restarts + 1}`);
    const isHosted = agents.isHosted?.(this.#address(run).agent) ?? false;
    const message = await firstMessage(state, run, { client, blobs: journal.blobs, key, isHosted });
    const find = () => findBegun(client, message, signal);
    const begun = asked && (await dispatched.begunBy(run.id, asked, find));
    if (begun !== undefined) return yield* followTask(client, begun, { signal });
    await dispatched.note(run.id, async (asking) => {
      await this.#add({ asked: { ...this.#address(run), key, asking } });
      await this.#record.written();
    });
    yield* client.stream({ message }, { signal, idempotencyKey: key, traceparent: this.#traceparent });
  }

  /** A message while the agent waits for an answer is the answer. */
  #delivered(input: PendingInput): Promise<void> {
    const { runId } = this.#run;
    const { waitingFor } = this.#memory.transform;
    const approvalId = "answer" in input ? input.id : waitingFor;
    const frame = { told: input.id, ...(approvalId !== undefined && { approvalId }) };
    if (!("message" in input) || !waitingFor) return this.#add(frame);
    const text = input.message.content;
    return this.#add(frame, [
      { type: "approval_answered", runId, approvalId: waitingFor, decision: "answered", text },
    ]);
  }

  #add(frame: RunFrame, events: readonly SessionEvent[] = []): Promise<void> {
    this.#memory.note(frame);
    return this.#record.add(frame, events);
  }

  #address({ agent, agentUrl }: Run): AgentAddress {
    return this.#standIn ?? this.#memory.asked ?? { agent, agentUrl };
  }

  async #afterFailure(run: Run, error: Error): Promise<boolean> {
    if (this.#signal.aborted) throw error;
    const verdict = judge(error, this.#memory.transform.taskId !== undefined);
    switch (verdict) {
      case "release":
        throw error;
      case "unrecordable":
        // The rejected frames are gone; what came before is recorded.
        this.#record = new RunRecord(this.#session, this.#lease, run.id);
        return this.#stopAndFail(run, "The agent sent what cannot be recorded");
      case "stop":
        return this.#stopAndFail(run, error.message);
      case "fail":
        return this.#fail(run, error.message);
      case "restart":
        return this.#restart(run, error);
      case "retry":
        return this.#unavailable(run, error);
      case "internal error":
        this.#setting.observer.failed(this.#run, error);
        return this.#stopAndFail(run, "Something went wrong on our side: try again");
    }
  }

  async #unavailable(run: Run, error: Error): Promise<boolean> {
    const { observer, agents, limits } = this.#setting;
    const wasSent = this.#memory.transform.taskId !== undefined || (this.#memory.asked && !wasNotSent(error));
    const pause = this.#backoff.nextWithin(wasSent ? limits.sentPatienceMs : limits.patienceMs);
    if (pause !== undefined) {
      observer.retrying(this.#run, error);
      await sleep(pause, undefined, { signal: this.#signal });
      return true;
    }
    const address = this.#address(run);
    this.#tried.add(address.agent);
    const other = wasSent
      ? undefined
      : agents.alternatives(address, await this.#fallbacks()).find(({ agent }) => !this.#tried.has(agent));
    if (!other) return this.#fail(run, error.message);
    const text = `${address.agent} is not available: ${error.message}. ${other.agent} is asked instead.`;
    await this.#startOver(text, [
      { type: "agent_status", runId: run.id, state: "working", text, agent: other.agent },
    ]);
    this.#standIn = other;
    return true;
  }

  async #fallbacks(): Promise<readonly string[] | undefined> {
    return configurationIn((await this.#session.current()).config).fallbacks;
  }

  /** The agent has lost its task: it starts over from the same snapshot, unless the task is adopted. */
  async #restart(run: Run, error: Error): Promise<boolean> {
    const { restarts, asked } = this.#memory;
    if (asked?.adopted || restarts >= this.#setting.limits.restarts) return this.#fail(run, error.message);
    const text = `${this.#address(run).agent} has lost its work, and begins anew`;
    await this.#startOver(text, [{ type: "agent_status", runId: run.id, state: "working", text }]);
    return true;
  }

  async #startOver(reason: string, events: readonly SessionEvent[]): Promise<void> {
    this.#setting.observer.restarted(this.#run, reason);
    this.#backoff.reset();
    await this.#add({ restarted: reason }, [...this.#memory.transform.restart(), ...events]);
  }

  #finish(run: Run): Promise<boolean> {
    const { state, words } = this.#memory.transform;
    const { agent } = this.#address(run);
    if (state === "TASK_STATE_COMPLETED") return this.#conclude(run, "completed");
    const how = { TASK_STATE_CANCELED: "canceled it", TASK_STATE_REJECTED: "rejected it" }[String(state)];
    return this.#fail(run, words || `${agent} ${how ?? "failed, and did not say why"}`);
  }

  #fail(run: Run, reason: string): Promise<boolean> {
    return this.#conclude(run, "failed", reason);
  }

  async #stopAndFail(run: Run, reason: string): Promise<boolean> {
    // An adopted task is only watched.
    if (!this.#memory.asked?.adopted) await this.#closing.cancel(this.#address(run));
    return this.#fail(run, reason);
  }

  async #conclude(run: Run, state: "completed" | "failed", reason?: string): Promise<false> {
    await this.#closing.conclude(this.#record, run, { state, reason, by: this.#address(run) });
    return false;
  }

  async #afterEnd(): Promise<void> {
    const { runs } = await this.#session.current();
    const run = runs.get(this.#run.runId);
    await this.#closing.settle(run, run && this.#address(run));
  }
}
