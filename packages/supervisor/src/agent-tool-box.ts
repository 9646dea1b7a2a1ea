import {
  memberPart,
  type PlanDecision,
  type PlanState,
  planState,
  provenance,
  type Trace,
  type Usage,
  withMember,
} from "@parley/a2a";
import type { Tool, ToolBox, ToolRequest, ToolReturn, WaitingCall } from "@parley/agent";
import type { Delegate } from "./delegation/agent-directory.ts";
import { Delegation, type DelegationSetting } from "./delegation/delegation.ts";
import type { DelegationEnd } from "./delegation/delegation-end.ts";
import type { DelegationLog } from "./delegation/delegation-log.ts";
import type { Plan, PlanStep } from "./plan/plan.ts";
import { planAnswer } from "./plan/plan-answer.ts";
import { PlanSkips, runPlan, type StepEnd, StepSkippedError } from "./plan/plan-run.ts";
import { PLAN_TOOL, planTool, REQUEST_SCHEMA } from "./plan/plan-tool.ts";
import { readPlan } from "./plan/read-plan.ts";
import { planOutcome, stepRequest } from "./plan/step-texts.ts";

export interface AgentToolBoxOptions extends DelegationSetting {
  readonly parallel: number;
  /** Plans need the user's approval. */
  readonly asksForPlans: boolean;
  /** All known agents, and those of calls that are still open. */
  agentNames(): readonly string[];
  /** Gets the progress of a call's plan. */
  planChanged(callId: string, state: PlanState): void;
}

/** The tools of a supervisor: each known agent, and plans over them; one box per execution. */
export class AgentToolBox implements ToolBox {
  readonly #options: AgentToolBoxOptions;

  constructor(options: AgentToolBoxOptions) {
    this.#options = options;
  }

  tools(): readonly Tool[] {
    const { directory, handed, agentNames } = this.#options;
    const delegates = new Map(directory.delegates().map((delegate) => [delegate.name, delegate]));
    const mayDelegate = handed.depth > 0 && handed.fanOut > 0;
    const described = (mayDelegate ? agentNames() : []).map((name) => {
      const delegate = delegates.get(name);
      return { name, description: delegate ? descriptionOf(delegate) : AWAY };
    });
    if (described.length === 0) return [];
    const agents = described.map((agent) => ({ ...agent, inputSchema: CALL_SCHEMA, ...FREE }));
    return [{ ...planTool(described), ...FREE }, ...agents];
  }

  /** A missing agent is reported when it is called. */
  troubles(): readonly string[] {
    return [];
  }

  async call(call: ToolRequest, signal: AbortSignal): Promise<ToolReturn | WaitingCall> {
    if (call.tool === PLAN_TOOL) return this.#carryOut(call, signal);
    const { id, tool, arguments: given, isOnly, trace } = call;
    const { request } = given;
    if (typeof request !== "string" || request.trim() === "")
      return { outcome: "failed", text: `Tell ${tool} what to do, as {"request": "…"}.` };
    const asked = { id, agent: tool, request, isAnswer: isOnly, trace };
    const delegation = new Delegation(this.#options, asked, signal);
    const end = await delegation.run();
    if (end.state === "waiting") return waitingCall(this.#options.log);
    return returned(end, { text: end.text, isAnswer: isOnly });
  }

  async #carryOut({ id, arguments: given, isOnly, trace }: ToolRequest, signal: AbortSignal) {
    const { agentNames, log } = this.#options;
    const plan = readPlan(given, agentNames());
    if ("problem" in plan) return { outcome: "failed" as const, text: plan.problem };
    const skips = new PlanSkips();
    if (this.#options.asksForPlans) {
      const decision = await this.#approval(id, plan, signal);
      if (!decision) return waitingCall(log);
      if (!decision.approved)
        return { outcome: "failed" as const, text: "The user does not want this plan." };
      skips.add(decision.skip);
    }
    skips.add(log.get(id)?.skip ?? []);
    const isAnswer = isOnly && plan.steps.length === 1;
    await this.#stopUnwanted({ id, plan, skips, isAnswer }, signal);
    const ends = new Map<string, DelegationEnd>();
    const done = new Map(
      plan.steps.flatMap((step) => {
        const ended = log.get(stepCall(id, step))?.ended;
        return ended ? [[step.id, stepEnd(ended)] as const] : [];
      }),
    );
    const outcomes = await this.#run({ id, plan, skips, ends, done, isAnswer, trace }, signal);
    if ([...ends.values()].some(({ state }) => state === "waiting")) return waitingCall(log);
    return returned(overall(plan, outcomes, ends), { text: planOutcome(plan, outcomes), isAnswer });
  }

  /** Stops steps that an earlier execution began and the user has skipped or canceled since. */
  async #stopUnwanted(
    { id, plan, skips, isAnswer }: Omit<PlannedWork, "ends" | "done">,
    signal: AbortSignal,
  ): Promise<void> {
    const begun = plan.steps.filter((step) => this.#options.log.get(stepCall(id, step)));
    const unwanted = begun.filter((step) => signal.aborted || skips.has(step.id));
    if (unwanted.length === 0) return;
    const stop = signal.aborted ? signal : AbortSignal.abort(new StepSkippedError());
    const stopped = unwanted.map((step) => {
      const { agent, request } = step;
      const asked = { id: stepCall(id, step), agent, request, isAnswer };
      return new Delegation(this.#options, asked, stop).run();
    });
    await Promise.all(stopped);
  }

  async #run({ id, plan, skips, ends, done, isAnswer, trace }: PlannedWork, signal: AbortSignal) {
    const { parallel, planChanged, questions } = this.#options;
    const stopListening = questions.onSkip(id, (steps) => skips.add(steps));
    const outcomes = runPlan(plan, {
      parallel,
      done,
      signal,
      skips,
      changed: (state) => planChanged(id, state),
      run: async (step, results) => {
        const stop = new AbortController();
        const stopListening = skips.onChange(() => {
          if (skips.has(step.id)) stop.abort(new StepSkippedError());
        });
        const asked = {
          id: stepCall(id, step),
          agent: step.agent,
          request: stepRequest(step, results),
          isAnswer,
          trace,
        };
        const end = await new Delegation(this.#options, asked, AbortSignal.any([signal, stop.signal])).run();
        stopListening();
        ends.set(step.id, end);
        return stepEnd(end);
      },
    });
    return outcomes.finally(stopListening);
  }

  /** The user's decision about a plan (+6); undefined: it is still open. */
  async #approval(id: string, plan: Plan, signal: AbortSignal): Promise<Required<PlanDecision> | undefined> {
    const { log, questions } = this.#options;
    const { asked, replied } = log.get(id) ?? {};
    if (replied) return planAnswer(replied, plan);
    const steps = plan.steps.map(({ id, title, agent, dependencies }) => {
      return { id, title, agent, dependencies: [...dependencies], state: "pending" as const };
    });
    const text = "Shall I carry out this plan? Answer yes or no, or name steps to skip, such as “skip 2”.";
    const question = [{ text }, memberPart(planState, { steps })];
    if (!asked) await log.record({ id, asked: question });
    const reply = await questions.reply(id, signal);
    return reply && planAnswer(reply, plan);
  }
}

interface PlannedWork {
  readonly id: string;
  readonly plan: Plan;
  readonly skips: PlanSkips;
  readonly ends: Map<string, DelegationEnd>;
  readonly done: ReadonlyMap<string, StepEnd>;
  readonly isAnswer: boolean;
  readonly trace?: Trace | undefined;
}

const AWAY = "It is not there at the moment.";
const CALL_SCHEMA = {
  type: "object",
  properties: { request: REQUEST_SCHEMA },
  required: ["request"],
  additionalProperties: false,
};
/** An interrupted delegation is resumed, not repeated; approvals are asked for by the sub-agent. */
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

/** An unknown outcome counts as failed: nothing can be built on it. */
function stepEnd({ state, text }: Pick<DelegationEnd, "state" | "text">): StepEnd {
  return { state: state === "unknown" ? "failed" : state, text };
}

/** Completed only if all steps are. */
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

/** The oldest open question, whichever call waits: an answer that names no other is for this one. */
function waitingCall({ openQuestions: [oldest] }: DelegationLog): WaitingCall {
  const { id = "", asked = [], began, task } = oldest ?? {};
  const origin = began && { agent: began.agent, callId: id, depth: 1, ...(task && { taskId: task }) };
  const metadata = origin && withMember(undefined, provenance, origin);
  return { outcome: "waiting", question: asked, ...(metadata && { metadata }) };
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
