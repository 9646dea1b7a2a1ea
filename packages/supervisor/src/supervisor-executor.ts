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
import {
  type DelegationLimits,
  type DelegationObserver,
  defaultDelegationLimits,
  silentDelegationObserver,
} from "./delegation/delegation-limits.ts";
import { DelegationLog, delegationIn } from "./delegation/delegation-log.ts";
import { OriginIds } from "./delegation/origin-ids.ts";
import { Questions } from "./delegation/questions.ts";
import { PLAN_TOOL } from "./plan/plan-tool.ts";
import { stepsOf } from "./plan/read-plan.ts";
import { SupervisorEventWriter } from "./supervisor-event-writer.ts";

const LOCAL = /^([^/]+\/)?local$/;

/**
 * The context id under which work is delegated. To another agent all callers are us, so two callers with the same
 * context id would share a context there. Without the key nobody can compute it; contexts from before there was one keep
 * their name.
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

/** The limits of one request unless configured. */
export const DEFAULT_LIMITS: LoopLimits = { steps: 20, seconds: 3_600, tokens: 1_000_000, parallel: 8 };

/** Delay before a task's start is reported. */
const REPORT_DELAY_MS = 1_000;
const ENDS: ReadonlySet<string> = new Set(["input-needed", "complete", "error"]);

/** What a supervisor needs to work on a task; created for each. */
export interface SupervisorSetup {
  readonly self: ChainLink;
  readonly model: Model;
  readonly instructions: string;
  readonly directory: AgentDirectory;
  readonly limits?: Partial<LoopLimits>;
  readonly delegation?: Partial<DelegationLimits>;
  /** Called a moment after the work on a task began, so that the first words are not delayed; must not throw. */
  readonly began?: (context: ExecutionContext) => void;
  /** Called for each further message that continues a task; must not throw. */
  readonly answered?: (context: ExecutionContext) => void;
  readonly observer?: DelegationObserver;
  /** Derives the names of delegated contexts. */
  readonly contextKey?: Uint8Array;
}

/** Schedules tasks and model calls fairly. */
export interface SupervisorTurns {
  readonly tasks: FairQueue;
  readonly modelCalls: FairQueue;
  shareOf(owner: string): Share;
}

/** Plans, delegates and forwards (S0.1–S0.20): an agent whose tools are other agents. */
export class SupervisorExecutor implements Executor {
  /** Interrupted delegations are resumed. */
  readonly resumes = true;
  /** Sub-agents are stopped with the task, also those that wait or work on after a crash. */
  readonly delegates = true;
  readonly #setup: () => SupervisorSetup | Promise<SupervisorSetup>;
  readonly #turns: SupervisorTurns | undefined;

  constructor(setup: () => SupervisorSetup | Promise<SupervisorSetup>, turns?: SupervisorTurns) {
    this.#setup = setup;
    this.#turns = turns;
  }

  async execute(context: ExecutionContext): Promise<Ending | undefined> {
    const share = this.#turns?.shareOf(context.owner);
    // A canceled task only stops its sub-agents, and need not wait.
    const isStopped = context.signal.aborted;
    using _ = share && !isStopped ? await this.#turns?.tasks.enter(share, context.signal) : undefined;
    const setup = await this.#setup();
    const { model, instructions, directory, self, observer = silentDelegationObserver } = setup;
    const said = context.task.history?.filter(({ role }) => role === "ROLE_USER");
    const [first = context.message, ...later] = said ?? [];
    const notes = await context.notes();
    const reportStart = soon(() => setup.began?.(context));
    if (later.length > 0) setup.answered?.(context);
    else reportStart.later();
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
    const writer = new SupervisorEventWriter({
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
      planChanged: (callId, state) => writer.showPlan(callId, state),
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
      if (later.length === 0 && ENDS.has(event.type)) reportStart.now();
      return writer.write(event);
    });
    return writer.ending;
  }
}

/** The agents of a call: known when it was made, and maybe not yet back after a restart. */
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

/** Records messages without a note: as the reply to a sub-agent's question, or for the model. */
async function takeMessages(
  later: readonly Message[],
  { record, log, questions }: { record: StepRecord; log: DelegationLog; questions: Questions },
): Promise<void> {
  const taken = record.steps.filter((step) => "said" in step).length + log.messages;
  for (const message of later.slice(taken)) {
    if (!(await questions.take(message))) await record.add({ said: inWords(message) });
  }
}

/** The length of the answer that is certain: of turns and delegations that have ended. */
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

/** Runs work once: after a while, or now. */
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
      timer = setTimeout(now, REPORT_DELAY_MS).unref();
    },
  };
}
