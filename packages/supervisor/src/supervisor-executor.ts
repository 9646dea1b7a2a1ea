import { createHash, createHmac } from "node:crypto";
import {
  type Ending,
  type ExecutionContext,
  type Executor,
  type FairQueue,
  inWords,
  type Json,
  type Message,
  memberIn,
  planApproval,
  type Share,
} from "@parley/a2a";
import {
  AgentLoop,
  Conversation,
  type LoopLimits,
  modelMessage,
  type Step,
  type StepRecord,
  snapshotMessages,
  stepRecord,
  stepsIn,
} from "@parley/agent";
import { fairModel, type Model, type ToolCall } from "@parley/models";
import { AgentToolBox } from "./agent-tool-box.ts";
import { Answer } from "./answer.ts";
import type { AgentDirectory } from "./delegation/agent-directory.ts";
import { type ChainLink, DelegationContext } from "./delegation/delegation-context.ts";
import { type DelegationLimits, defaultDelegationLimits } from "./delegation/delegation-limits.ts";
import { DelegationLog, delegationIn } from "./delegation/delegation-log.ts";
import { type DelegationObserver, silentDelegationObserver } from "./delegation/delegation-observer.ts";
import { OriginIds } from "./delegation/origin-ids.ts";
import { Questions } from "./delegation/questions.ts";
import { PLAN_TOOL } from "./plan/plan-tool.ts";
import { stepsOf } from "./plan/read-plan.ts";
import { SupervisorEventWriter } from "./supervisor-event-writer.ts";

const LOCAL = /^([^/]+\/)?local$/;

/**
 * The context under which work for a context of ours is handed down. To another agent all of it comes from us: two callers
 * who happened to give theirs the same name would share it there, and so what was said in it. Without the key nobody can
 * compute it; a context that began before there was one keeps its name.
 */
export async function delegatedContext(
  { owner, contextId, memory }: Pick<ExecutionContext, "owner" | "contextId" | "memory">,
  key: Uint8Array | undefined,
): Promise<string> {
  if (LOCAL.test(owner)) return contextId;
  const isKeyed = key && (await memory.hasKeyedName());
  const hash = isKeyed ? createHmac("sha256", key) : createHash("sha256");
  return hash.update(JSON.stringify([owner, contextId])).digest("base64url");
}

/** What one request to the supervisor may use where nobody says otherwise. */
export const DEFAULT_LIMITS: LoopLimits = { steps: 20, seconds: 3_600, tokens: 1_000_000, parallel: 8 };

/** How long a task is at work before others are told of it. */
const TOLD_AFTER_MS = 1_000;
const ENDS: ReadonlySet<string> = new Set(["input-needed", "complete", "error"]);

/** All that a supervisor needs to work on a task; taken anew for each. */
export interface SupervisorSetup {
  readonly self: ChainLink;
  readonly model: Model;
  readonly instructions: string;
  readonly directory: AgentDirectory;
  readonly limits?: Partial<LoopLimits>;
  readonly delegation?: Partial<DelegationLimits>;
  /** Hears of each task a moment after its work began, so that the first words are not held up; must not throw. */
  readonly began?: (context: ExecutionContext) => void;
  /** Hears of each further message that lets a task go on; must not throw. */
  readonly answered?: (context: ExecutionContext) => void;
  readonly observer?: DelegationObserver;
  /** Makes the names of contexts that are handed down. */
  readonly contextKey?: Uint8Array;
}

/** Whose task is next, and whose call of the model. */
export interface SupervisorTurns {
  readonly tasks: FairQueue;
  readonly modelCalls: FairQueue;
  shareOf(owner: string): Share;
}

/** Plans, delegates and forwards (S0.1–S0.20): an agent whose tools are other agents. */
export class SupervisorExecutor implements Executor {
  /** Delegations that were cut short are taken up again. */
  readonly resumes = true;
  /** Sub-agents that have asked, or work on after a crash, are stopped with the task. */
  readonly delegates = true;
  readonly #setup: () => SupervisorSetup | Promise<SupervisorSetup>;
  readonly #turns: SupervisorTurns | undefined;

  constructor(setup: () => SupervisorSetup | Promise<SupervisorSetup>, turns?: SupervisorTurns) {
    this.#setup = setup;
    this.#turns = turns;
  }

  async execute(context: ExecutionContext): Promise<Ending | undefined> {
    const share = this.#turns?.shareOf(context.owner);
    // Whoever is only to stop others does not wait.
    const isStopped = context.signal.aborted;
    using _ = share && !isStopped ? await this.#turns?.tasks.enter(share, context.signal) : undefined;
    const setup = await this.#setup();
    const { model, instructions, directory, self, observer = silentDelegationObserver } = setup;
    const said = context.task.history?.filter(({ role }) => role === "ROLE_USER");
    const [first = context.message, ...later] = said ?? [];
    const notes = await context.notes();
    const tellOfIt = soon(() => setup.began?.(context));
    if (later.length > 0) setup.answered?.(context);
    else tellOfIt.later();
    // The other notes are the delegations'.
    const record = stepRecord(context, stepsIn(notes.filter((note) => delegationIn(note) === undefined)));
    const log = new DelegationLog(notes, context);
    const questions = new Questions({
      log,
      nextMessage: (signal) => context.nextMessage(signal),
      planWith: (steps) => planWith(steps, new Conversation([], record.steps).openCalls),
      said: (message) => loop.hear(inWords(message)),
    });
    await takeMessages(later, { record, log, questions });

    const earlier = snapshotMessages(first) ?? (await context.memory.history()).map(modelMessage);
    const messages = [...earlier, modelMessage(first)];
    const conversation = new Conversation(messages, record.steps);
    const handed = new DelegationContext(first, self);
    const limits = limitsOf(setup.limits, handed);
    const answer = new Answer(context);
    const certain = answer.text.slice(0, certainLength(notes));
    const isDelegated = conversation.openCalls.length > 0;
    const expected = conversation.openCalls.flatMap(agentsOf);
    const agentNames = () => [...new Set([...directory.delegates().map(({ name }) => name), ...expected])];
    const plans = conversation.callsOf(PLAN_TOOL).map(({ id }) => id);
    const teller = new SupervisorEventWriter({
      context,
      answer,
      model: model.name,
      plans,
      agentNames,
      certain: isDelegated ? undefined : certain,
    });
    const toolBox = new AgentToolBox({
      context,
      directory,
      agentNames,
      answer,
      before: certain,
      log,
      questions,
      handed,
      observer,
      contextId: await delegatedContext(context, setup.contextKey),
      ids: new OriginIds(context.task),
      limits: { ...defaultDelegationLimits, ...setup.delegation },
      parallel: limits.parallel,
      tokensLeft: () => limits.tokens - tokensIn(new Conversation(messages, record.steps)),
      planChanged: (callId, state) => teller.showPlan(callId, state),
      asksForPlans: memberIn(first.metadata, planApproval).value?.required === true,
    });
    const fair = this.#turns && share ? fairModel(model, this.#turns.modelCalls, share) : model;
    const loop: AgentLoop = new AgentLoop({
      model: fair,
      system: instructions,
      messages,
      toolBox,
      record,
      limits,
      thinking: false,
      interrupted: context.resumed ? new Set(conversation.begunCalls.map(({ id }) => id)) : undefined,
      signal: context.signal,
      trace: context.trace,
      incoming: async () => {
        await questions.rest();
        return (await context.heard()).map(inWords);
      },
    });
    await loop.run((event) => {
      if (later.length === 0 && ENDS.has(event.type)) tellOfIt.now();
      return teller.tell(event);
    });
    return teller.ending;
  }
}

/** Whom a call is meant for: those who were known when it was made, and may not be there yet after a restart. */
function agentsOf({ tool, arguments: given }: ToolCall): string[] {
  return tool === PLAN_TOOL ? stepsOf(given).map(({ agent }) => agent) : [tool];
}

function planWith(steps: readonly string[], calls: readonly ToolCall[]): string | undefined {
  const plans = calls.filter(({ tool }) => tool === PLAN_TOOL);
  return plans.find((plan) => stepsOf(plan.arguments).some(({ id }) => steps.includes(id)))?.id;
}

function tokensIn({ usage: { inputTokens = 0, outputTokens = 0 } }: Conversation): number {
  return inputTokens + outputTokens;
}

/** Records the messages that no note tells of yet: as the reply to a sub-agent's question, or as something said. */
async function takeMessages(
  later: readonly Message[],
  { record, log, questions }: { record: StepRecord; log: DelegationLog; questions: Questions },
): Promise<void> {
  const taken = record.steps.filter((step) => "said" in step).length + log.messages;
  for (const message of later.slice(taken)) {
    if (!(await questions.take(message))) await record.add({ said: inWords(message) });
  }
}

/** How many characters of the answer are known to stand: those of turns and delegations that have ended. */
function certainLength(notes: readonly Json[]): number {
  return notes.reduce<number>((sum, note) => {
    const delegation = delegationIn(note);
    if (delegation) return sum + (delegation.ended?.said ?? 0);
    const step = note as Partial<Extract<Step, { turn: unknown }>>;
    return sum + (step.turn?.text.length ?? 0);
  }, 0);
}

function limitsOf(given: Partial<LoopLimits> | undefined, handed: DelegationContext): LoopLimits {
  const own = { ...DEFAULT_LIMITS, ...given };
  return {
    ...own,
    parallel: Math.max(1, Math.min(own.parallel, handed.fanOut)),
    seconds: Math.min(own.seconds, handed.timeMs / 1_000),
    tokens: Math.min(own.tokens, handed.tokens),
  };
}

/** Something to be done once: after a while, or now. */
function soon(work: () => void): { later(): void; now(): void } {
  let timer: NodeJS.Timeout | undefined;
  let isDone = false;
  const now = () => {
    clearTimeout(timer);
    if (!isDone) work();
    isDone = true;
  };
  return {
    now,
    later() {
      timer = setTimeout(now, TOLD_AFTER_MS).unref();
    },
  };
}
