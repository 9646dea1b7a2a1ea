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
import type { RecordedAnswers } from "./recorded-answers.ts";
import type { Moment, RecordedWork } from "./recording.ts";

/** An agent that does again what was recorded for each request, and fails those for which nothing was. */
export class RecordedExecutor implements Executor {
  readonly #answers: RecordedAnswers;

  constructor(answers: RecordedAnswers) {
    this.#answers = answers;
  }

  async execute(context: ExecutionContext): Promise<Ending> {
    const said = context.task.history?.filter(({ role }) => role === "ROLE_USER");
    const [first = context.message, ...later] = said ?? [];
    const work = this.#answers.for(context.taskId, textOf(first));
    if (!work) return { state: "failed", message: this.#answers.lack(textOf(first)) };
    // Each further message answers a question: it goes on behind as many as were answered.
    const from = later.length === 0 ? 0 : 1 + placeOfQuestion(work.does, later.length);
    for (const [at, moment] of work.does.entries()) {
      if (at < from) continue;
      if ("asks" in moment) return asking(moment, `${context.taskId}-ask-${at}`);
      await show(context, moment, at);
    }
    return endingOf(work);
  }
}

/** Where the question with this number is, or the last one there is. */
function placeOfQuestion(moments: readonly Moment[], number: number): number {
  const places = moments.flatMap((moment, at) => ("asks" in moment ? [at] : []));
  return places[Math.min(number, places.length) - 1] ?? -1;
}

async function show(
  context: ExecutionContext,
  moment: Exclude<Moment, { readonly asks: string }>,
  at: number,
): Promise<void> {
  const metadata = origin(moment.by);
  if ("says" in moment) {
    const { says, artifact } = moment;
    // The same in every execution of the task, so that a later one extends what is there.
    const artifactId = `${context.taskId}-${artifact ?? "result"}`;
    const name = artifact ?? "current_result";
    await context.artifact({ artifactId, name, ...(metadata && { metadata }) }).text(says);
  } else if ("calls" in moment) {
    const { calls: tool, arguments: given = {}, outcome, result } = moment;
    const id = `${context.taskId}-call-${at}`;
    await context.working(
      `🔧 Calling tool: ${tool}`,
      withMember(metadata, toolCall, { id, tool, arguments: given }),
    );
    if (!outcome) return;
    const ended = { id, outcome, durationMs: 0, ...(result !== undefined && { result }) };
    await context.working(`Tool ${outcome}: ${tool}`, withMember(metadata, toolResult, ended));
  } else {
    const { brings: name, parts } = moment;
    const artifactId = `${context.taskId}-brings-${at}`;
    await context
      .artifact({ artifactId, name, ...(metadata && { metadata }) })
      .close(parts as readonly Part[]);
  }
}

function origin(agent: string | undefined): Metadata | undefined {
  return agent === undefined ? undefined : withMember(undefined, provenance, { agent, depth: 1 });
}

function asking({ asks, tool, arguments: given, by }: Extract<Moment, { asks: string }>, id: string): Ending {
  const metadata = origin(by);
  const about = { state: "input-required", ...(metadata && { metadata }) } as const;
  if (tool === undefined) return { ...about, message: asks };
  const argumentsHash = createHash("sha256")
    .update(JSON.stringify(given ?? null))
    .digest("hex");
  const request = { id, tool, argumentsHash, ...(given !== undefined && { arguments: given }) };
  return { ...about, message: [{ text: asks }, memberPart(approvalRequest, request)] };
}

function endingOf({ state, reason }: RecordedWork): Ending {
  return state === "completed"
    ? { state }
    : { state: "failed", ...(reason !== undefined && { message: reason }) };
}
