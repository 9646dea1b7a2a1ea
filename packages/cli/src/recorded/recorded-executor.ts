import { createHash } from "node:crypto";
import {
  approvalRequest,
  type Ending,
  type ExecutionContext,
  type Executor,
  type Metadata,
  memberPart,
  type Part,
  provenance,
  textOf,
  toolCall,
  toolResult,
  withMember,
} from "@parley/a2a";
import { defined } from "../defined.ts";
import { comparable } from "./difference.ts";
import { SUPERVISOR } from "./recorded-run.ts";
import type { Moment, RecordedWork, Recording } from "./recording.ts";

const MAX_LINE_LENGTH = 120;

/** An agent that repeats what was recorded for each request, and fails requests without a recording. */
export class RecordedExecutor implements Executor {
  readonly #agent: string;
  /** By comparable request, the recorded answers that are left, in order. */
  readonly #left: Map<string, RecordedWork[]>;
  /** By task, its answer. */
  readonly #given = new Map<string, RecordedWork>();

  constructor(agent: string, { turns }: Recording) {
    this.#agent = agent;
    const recorded = turns.flatMap(({ message, does = [], state, reason, calls = [], ...turn }) => {
      const direct = turn.agent === agent && agent !== SUPERVISOR;
      const asked: RecordedWork[] = direct ? [{ request: message, does, state, reason }] : [];
      return [...asked, ...calls.filter((call) => call.agent === agent)];
    });
    this.#left = Map.groupBy(recorded, ({ request }) => comparable(request));
  }

  async execute(context: ExecutionContext): Promise<Ending> {
    const sent = context.task.history?.filter(({ role }) => role === "ROLE_USER");
    const [first = context.message, ...later] = sent ?? [];
    const request = textOf(first);
    const work = this.#given.get(context.taskId) ?? this.#left.get(comparable(request))?.shift();
    if (!work) {
      const line = request.split("\n", 1)[0]?.slice(0, MAX_LINE_LENGTH);
      return {
        state: "failed",
        message: `No answer of ${this.#agent} was recorded for this request: ${line}`,
      };
    }
    this.#given.set(context.taskId, work);
    // Each later message answers a question: the work continues behind as many questions as were answered.
    const from = later.length === 0 ? 0 : 1 + indexOfQuestion(work.does, later.length);
    for (const [index, moment] of work.does.entries()) {
      if (index < from) continue;
      if ("asks" in moment) return askUser(moment, `${context.taskId}-ask-${index}`);
      await perform(context, moment, index);
    }
    if (work.state === "completed") return { state: "completed" };
    return { state: "failed", ...defined({ message: work.reason }) };
  }
}

/** The index of the question with this number, or of the last one. */
function indexOfQuestion(moments: readonly Moment[], number: number): number {
  const indices = moments.flatMap((moment, index) => ("asks" in moment ? [index] : []));
  return indices[Math.min(number, indices.length) - 1] ?? -1;
}

async function perform(
  context: ExecutionContext,
  moment: Exclude<Moment, { readonly asks: string }>,
  index: number,
): Promise<void> {
  const { taskId } = context;
  const metadata = originOf(moment.by);
  if ("says" in moment) {
    const { says, artifact } = moment;
    // The same id in every execution of the task, so that a later one extends the artifact.
    const about = { artifactId: `${taskId}-${artifact ?? "result"}`, name: artifact ?? "current_result" };
    await context.artifact({ ...about, ...defined({ metadata }) }).text(says);
  } else if ("calls" in moment) {
    const { calls: tool, arguments: given = {}, outcome, result } = moment;
    const id = `${taskId}-call-${index}`;
    const call = withMember(metadata, toolCall, { id, tool, arguments: given });
    await context.working(`🔧 Calling tool: ${tool}`, call);
    if (!outcome) return;
    const ended = { id, outcome, durationMs: 0, ...defined({ result }) };
    await context.working(`Tool ${outcome}: ${tool}`, withMember(metadata, toolResult, ended));
  } else {
    const about = { artifactId: `${taskId}-brings-${index}`, name: moment.brings, ...defined({ metadata }) };
    await context.artifact(about).close(moment.parts as readonly Part[]);
  }
}

function originOf(agent: string | undefined): Metadata | undefined {
  return agent === undefined ? undefined : withMember(undefined, provenance, { agent, depth: 1 });
}

function askUser(
  { asks, tool, arguments: given, by }: Extract<Moment, { asks: string }>,
  id: string,
): Ending {
  const about = { state: "input-required", ...defined({ metadata: originOf(by) }) } as const;
  if (tool === undefined) return { ...about, message: asks };
  const argumentsHash = createHash("sha256")
    .update(JSON.stringify(given ?? null))
    .digest("hex");
  const request = { id, tool, argumentsHash, ...defined({ arguments: given }) };
  return { ...about, message: [{ text: asks }, memberPart(approvalRequest, request)] };
}
