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
  type Model,
  modelMessage,
  type Step,
  type StepRecord,
  snapshotMessages,
  stepRecord,
  stepsIn,
  type ToolCall,
} from "@parley/agent";
import { AgentToolBox } from "./agent-tool-box.ts";
import { Answer } from "./answer.ts";
import type { AgentDirectory } from "./delegation/agent-directory.ts";
import { delegatedContext } from "./delegation/delegated-context.ts";
import { type DelegationLimits, defaultDelegationLimits } from "./delegation/delegation-limits.ts";
import { DelegationLog, delegationIn } from "./delegation/delegation-log.ts";
import { type DelegationObserver, silentDelegationObserver } from "./delegation/delegation-observer.ts";
import { type ChainLink, HandedDown } from "./delegation/handed-down.ts";
import { OriginIds } from "./delegation/origin-ids.ts";
import { Questions } from "./delegation/questions.ts";
import { PLAN_TOOL } from "./plan/plan-tool.ts";
import { stepsOf } from "./plan/read-plan.ts";
import { SupervisorTeller } from "./supervisor-teller.ts";

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
    const [first = context.message, ...later] = context.task.history?.filter(isUser) ?? [];
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
    const handed = new HandedDown(first, self);
    const limits = limitsOf(setup.limits, handed);
    const answer = new Answer(context);
    const certain = answer.text.slice(0, certainLength(notes));
    const isDelegated = conversation.openCalls.length > 0;
    const expected = conversation.openCalls.flatMap(agentsOf);
    const agentNames = () => [...new Set([...directory.delegates().map(({ name }) => name), ...expected])];
    const plans = conversation.callsOf(PLAN_TOOL).map(({ id }) => id);
    const teller = new SupervisorTeller({
      ...{ context, answer, model: model.name, plans, agentNames },
      certain: isDelegated ? undefined : certain,
    });
    const toolBox = new AgentToolBox({
      ...{ context, directory, agentNames, answer, before: certain, log, questions, handed, observer },
      contextId: await delegatedContext(context, setup.contextKey),
      ids: new OriginIds(context.task),
      limits: { ...defaultDelegationLimits, ...setup.delegation },
      parallel: limits.parallel,
      tokensLeft: () => limits.tokens - tokensIn(new Conversation(messages, record.steps)),
      planChanged: (callId, state) => teller.showPlan(callId, state),
      asksForPlans: memberIn(first.metadata, planApproval).value?.required === true,
    });
    const loop: AgentLoop = new AgentLoop({
      ...{ model: this.#fair(model, share), system: instructions, messages, toolBox, record, limits },
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

  /** The model, of which each user has their share. */
  #fair(model: Model, share: Share | undefined): Model {
    const calls = this.#turns?.modelCalls;
    if (!calls || !share) return model;
    return {
      name: model.name,
      async *turn(request, signal) {
        using _ = await calls.enter(share, signal);
        yield* model.turn(request, signal);
      },
    };
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

function isUser({ role }: Message): boolean {
  return role === "ROLE_USER";
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

function limitsOf(given: Partial<LoopLimits> | undefined, handed: HandedDown): LoopLimits {
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
