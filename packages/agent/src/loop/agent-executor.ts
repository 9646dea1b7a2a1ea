import {
  budget,
  type Ending,
  type ExecutionContext,
  type Executor,
  inWords,
  type Message,
  memberIn,
} from "@parley/a2a";
import type { Model } from "@parley/models";
import type { AgentDefinition } from "../files/agent-definition.ts";
import { AgentLoop, type LoopLimits } from "./agent-loop.ts";
import { type Question, readAnswer } from "./approval-answer.ts";
import { Conversation } from "./conversation.ts";
import { EventTeller } from "./event-teller.ts";
import { modelMessage, snapshotMessages } from "./model-messages.ts";
import { type StepRecord, stepRecord, stepsIn } from "./step.ts";
import type { ToolBox } from "./tool-box.ts";

/** What one turn of work may use where nobody says otherwise. */
export const DEFAULT_LIMITS: LoopLimits = { steps: 20, seconds: 300, tokens: 200_000, parallel: 4 };

/** All that an agent needs to work on a task; taken anew for each, so that a changed file holds from the next on. */
export interface AgentSetup {
  readonly definition: AgentDefinition;
  readonly model: Model;
  readonly toolBox: ToolBox;
}

/** An agent of ours as the A2A runtime runs it: always streaming, whoever waits (S2.1–3). */
export class AgentExecutor implements Executor {
  /** It goes on from its last recorded step. */
  readonly resumes = true;
  readonly #setup: (first: Message) => AgentSetup | Promise<AgentSetup>;

  /** `setup` is for the task that began with this message. */
  constructor(setup: (first: Message) => AgentSetup | Promise<AgentSetup>) {
    this.#setup = setup;
  }

  async execute(context: ExecutionContext): Promise<Ending | undefined> {
    const said = context.task.history?.filter(({ role }) => role === "ROLE_USER");
    const [first = context.message, ...later] = said ?? [];
    const { definition, model, toolBox } = await this.#setup(first);
    const earlier = snapshotMessages(first) ?? (await context.memory.history()).map(modelMessage);
    const messages = [...earlier, modelMessage(first)];
    const record = stepRecord(context, stepsIn(await context.notes()));
    const before = new Conversation(messages, record.steps);
    await takeMessages(later, record, before.unanswered);
    const { thinking, tokens, instructions: system } = definition;
    const loop = new AgentLoop({
      model,
      system,
      messages,
      toolBox,
      record,
      thinking,
      interrupted: context.resumed ? new Set(before.begunCalls.map(({ id }) => id)) : undefined,
      signal: context.signal,
      artifacts: context.task.artifacts,
      trace: context.trace,
      limits: limitsOf(definition, first),
      incoming: async () => (await context.heard()).map(inWords),
    });
    const teller = new EventTeller(context, { tokens, thinking, model: model.name, text: before.text });
    await loop.run((event) => teller.tell(event));
    return teller.ending;
  }
}

/** Records the messages that no step tells of yet: a crash, or the end of a turn, may have come between. */
async function takeMessages(
  later: readonly Message[],
  record: StepRecord,
  question: Question | undefined,
): Promise<void> {
  const taken = record.steps.filter((step) => "said" in step || "answered" in step).length;
  const fresh = later.slice(taken);
  for (const message of fresh) {
    // Only the newest was sent in sight of the question.
    const answers = question && message === fresh.at(-1);
    await record.add(answers ? readAnswer(message, question) : { said: inWords(message) });
  }
}

function limitsOf({ limits }: AgentDefinition, message: Message): LoopLimits {
  const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
  const own: LoopLimits = { ...DEFAULT_LIMITS, ...given };
  const { timeMs, tokens } = memberIn(message.metadata, budget).value ?? {};
  return {
    ...own,
    seconds: Math.min(own.seconds, (timeMs ?? Number.POSITIVE_INFINITY) / 1_000),
    tokens: Math.min(own.tokens, tokens ?? Number.POSITIVE_INFINITY),
  };
}
