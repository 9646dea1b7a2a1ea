import type { PlanState, Usage } from "@parley/a2a";
import type { Tool, ToolBox, ToolRequest, ToolReturn, WaitingCall } from "@parley/agent";
import type { Delegate } from "./delegation/agent-directory.ts";
import { Delegation, type DelegationEnd, type DelegationSetting } from "./delegation/delegation.ts";
import type { Plan, PlanStep } from "./plan/plan.ts";
import { planOutcome } from "./plan/plan-outcome.ts";
import { runPlan, type StepEnd } from "./plan/plan-run.ts";
import { PLAN_TOOL, planTool } from "./plan/plan-tool.ts";
import { readPlan } from "./plan/read-plan.ts";
import { stepRequest } from "./plan/step-request.ts";

export interface AgentToolBoxOptions extends DelegationSetting {
  /** Delegations at once. */
  readonly parallel: number;
  /** Hears how far the plan of a call is. */
  planChanged(callId: string, state: PlanState): void;
}

/** The tools of a supervisor: every agent that it knows, and plans over them. One for each execution. */
export class AgentToolBox implements ToolBox {
  readonly #options: AgentToolBoxOptions;

  constructor(options: AgentToolBoxOptions) {
    this.#options = options;
  }

  tools(): readonly Tool[] {
    const { directory, handed } = this.#options;
    const delegates = directory.delegates().filter((delegate) => handed.refusal(delegate) === undefined);
    if (delegates.length === 0) return [];
    const described = delegates.map((delegate) => ({
      name: delegate.name,
      description: descriptionOf(delegate),
    }));
    const agents = described.map((agent) => ({ ...agent, inputSchema: REQUEST, ...FREE }));
    return [{ ...planTool(described), ...FREE }, ...agents];
  }

  /** Who is not there is said when he is needed. */
  troubles(): readonly string[] {
    return [];
  }

  async call(call: ToolRequest, signal: AbortSignal): Promise<ToolReturn | WaitingCall> {
    if (call.tool === PLAN_TOOL) return this.#carryOut(call, signal);
    const { id, tool, arguments: given, isOnly } = call;
    const { request } = given;
    if (typeof request !== "string" || request.trim() === "")
      return { outcome: "failed", text: `Tell ${tool} what to do, as {"request": "…"}.` };
    const delegation = new Delegation(this.#options, { id, agent: tool, request, isAnswer: isOnly }, signal);
    const end = await delegation.run();
    if (end.state === "waiting") return waitingCall(end);
    return returned(end, { text: end.text, isAnswer: isOnly });
  }

  async #carryOut({ id, arguments: given, isOnly }: ToolRequest, signal: AbortSignal) {
    const { directory, parallel, handed, log, planChanged } = this.#options;
    const names = directory.delegates().map(({ name }) => name);
    const plan = readPlan(given, names);
    if ("problem" in plan) return { outcome: "failed" as const, text: plan.problem };
    const isAnswer = isOnly && plan.steps.length === 1;
    const ends = new Map<string, DelegationEnd>();
    const done = new Map(
      plan.steps.flatMap((step) => {
        const ended = log.get(stepCall(id, step))?.ended;
        return ended ? [[step.id, stepEnd(ended)] as const] : [];
      }),
    );
    const outcomes = await runPlan(plan, {
      parallel: Math.min(parallel, handed.fanOut),
      done,
      signal,
      changed: (state) => planChanged(id, state),
      run: async (step, results) => {
        const request = stepRequest(step, results);
        const asked = { id: stepCall(id, step), agent: step.agent, request, isAnswer };
        const end = await new Delegation(this.#options, asked, signal).run();
        ends.set(step.id, end);
        return stepEnd(end);
      },
    });
    const waiting = [...ends.values()].find((end) => end.state === "waiting");
    if (waiting?.state === "waiting") return waitingCall(waiting);
    return returned(overall(plan, outcomes, ends), { text: planOutcome(plan, outcomes), isAnswer });
  }
}

const REQUEST = {
  type: "object",
  properties: {
    request: {
      type: "string",
      description:
        "What the agent is told: everything it needs, since it knows nothing of this conversation.",
    },
  },
  required: ["request"],
  additionalProperties: false,
};
/** A delegation that was cut short is taken up again, not repeated; whoever has to be asked is asked by the sub-agent. */
const FREE = { approval: "always", repeatable: true, notesBeginning: true } as const;

function descriptionOf({ card }: Delegate): string {
  const skills = card.skills.map(({ name, description, examples = [] }) => {
    const such = examples.length > 0 ? ` For example: ${examples.slice(0, 3).join(" | ")}` : "";
    return `- ${name}: ${description}${such}`;
  });
  return [card.description, ...skills].join("\n").slice(0, 4_000);
}

function stepCall(callId: string, { id }: PlanStep): string {
  return `${callId}.${id}`;
}

/** To a plan, what may or may not have been done has failed: nothing can be built on it. */
function stepEnd({ state, text }: Pick<DelegationEnd, "state" | "text">): StepEnd {
  return { state: state === "unknown" ? "failed" : state, text };
}

/** How a plan as a whole ended: well if any step did, so that the model sees what there is. */
function overall(
  { steps }: Plan,
  outcomes: ReadonlyMap<string, { readonly state: string }>,
  ends: ReadonlyMap<string, DelegationEnd>,
): Exclude<DelegationEnd, { state: "waiting" }> {
  const all = steps.every(({ id }) => outcomes.get(id)?.state === "completed");
  const usage = [...ends.values()].reduce<Usage | undefined>((sum, end) => added(sum, end), undefined);
  return { state: all ? "completed" : "failed", text: "", usage };
}

function added(sum: Usage | undefined, end: DelegationEnd): Usage | undefined {
  const used = "usage" in end ? end.usage : undefined;
  if (!sum || !used) return used ?? sum;
  return {
    ...used,
    inputTokens: sum.inputTokens + used.inputTokens,
    outputTokens: sum.outputTokens + used.outputTokens,
  };
}

function waitingCall({ question, metadata }: Extract<DelegationEnd, { state: "waiting" }>): WaitingCall {
  return { outcome: "waiting", question, metadata };
}

function returned(
  { state, usage }: Exclude<DelegationEnd, { state: "waiting" }>,
  { text, isAnswer }: { readonly text: string; readonly isAnswer: boolean },
): ToolReturn {
  const outcome = state === "completed" ? "succeeded" : state;
  const { inputTokens = 0, outputTokens = 0 } = usage ?? {};
  return {
    outcome,
    text,
    ...(isAnswer && state === "completed" && { answers: true as const }),
    ...(usage && { usage: { inputTokens, outputTokens } }),
  };
}
