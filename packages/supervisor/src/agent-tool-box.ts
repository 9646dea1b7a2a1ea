import {
  memberPart,
  type PlanDecision,
  type PlanState,
  planState,
  provenance,
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
    if (call.tool === PLAN_TOOL) return this.#runPlan(call, signal);
    const { id, tool, arguments: given, isOnly, trace } = call;
    const { request } = given;
    if (typeof request !== "string" || request.trim() === "")
      return { outcome: "failed", text: `Tell ${tool} what to do, as {"request": "…"}.` };
    const asked = { id, agent: tool, request, isAnswer: isOnly, trace };
    const end = await new Delegation(this.#options, asked, signal).run();
    if (end.state === "waiting") return waitingCall(this.#options.log);
    const outcome = end.state === "completed" ? "succeeded" : end.state;
    return returned({ outcome, text: end.text, isAnswer: isOnly, ends: [end] });
  }

  async #runPlan({ id, arguments: given, isOnly, trace }: ToolRequest, signal: AbortSignal) {
    const { agentNames, log, parallel, planChanged, questions, asksForPlans } = this.#options;
    const plan = readPlan(given, agentNames());
    if ("problem" in plan) return { outcome: "failed" as const, text: plan.problem };
    const skips = new PlanSkips();
    if (asksForPlans) {
      const decision = await this.#approval(id, plan, signal);
      if (!decision) return waitingCall(log);
      if (!decision.approved)
        return { outcome: "failed" as const, text: "The user does not want this plan." };
      skips.add(decision.skip);
    }
    skips.add(log.get(id)?.skip ?? []);
    const isAnswer = isOnly && plan.steps.length === 1;
    const callOf = (step: PlanStep) => `${id}.${step.id}`;
    const delegate = (step: PlanStep, request: string, stop: AbortSignal) => {
      const asked = { id: callOf(step), agent: step.agent, request, isAnswer, trace };
      return new Delegation(this.#options, asked, stop).run();
    };
    // What an earlier execution began may have been skipped or canceled since.
    const isUnwanted = (step: PlanStep) => signal.aborted || skips.has(step.id);
    const unwanted = plan.steps.filter((step) => log.get(callOf(step)) && isUnwanted(step));
    const stopped = signal.aborted ? signal : AbortSignal.abort(new StepSkippedError());
    await Promise.all(unwanted.map((step) => delegate(step, step.request, stopped)));

    const ends = new Map<string, DelegationEnd>();
    const done = plan.steps.flatMap((step) => {
      const ended = log.get(callOf(step))?.ended;
      return ended ? [[step.id, stepEnd(ended)] as const] : [];
    });
    const unsubscribe = questions.onSkip(id, (steps) => skips.add(steps));
    const outcomes = await runPlan(plan, {
      parallel,
      done: new Map(done),
      signal,
      skips,
      changed: (state) => planChanged(id, state),
      run: async (step, results) => {
        const stop = new AbortController();
        const stopListening = skips.onChange(() => {
          if (skips.has(step.id)) stop.abort(new StepSkippedError());
        });
        const end = await delegate(step, stepRequest(step, results), AbortSignal.any([signal, stop.signal]));
        stopListening();
        ends.set(step.id, end);
        return stepEnd(end);
      },
    }).finally(unsubscribe);
    if ([...ends.values()].some(({ state }) => state === "waiting")) return waitingCall(log);
    const isDone = plan.steps.every((step) => outcomes.get(step.id)?.state === "completed");
    const outcome = isDone ? "succeeded" : "failed";
    return returned({ outcome, text: planOutcome(plan, outcomes), isAnswer, ends: [...ends.values()] });
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

/** An unknown outcome counts as failed: nothing can be built on it. */
function stepEnd({ state, text }: Pick<DelegationEnd, "state" | "text">): StepEnd {
  return { state: state === "unknown" ? "failed" : state, text };
}

/** The oldest open question, whichever call waits: an answer that names no other is for this one. */
function waitingCall({ openQuestions: [oldest] }: DelegationLog): WaitingCall {
  const { id = "", asked = [], began, task } = oldest ?? {};
  const origin = began && { agent: began.agent, callId: id, depth: 1, ...(task && { taskId: task }) };
  const metadata = origin && withMember(undefined, provenance, origin);
  return { outcome: "waiting", question: asked, ...(metadata && { metadata }) };
}

function returned({
  outcome,
  text,
  isAnswer,
  ends,
}: Pick<ToolReturn, "outcome" | "text"> & { isAnswer: boolean; ends: readonly DelegationEnd[] }): ToolReturn {
  const usages = ends.flatMap((end) => ("usage" in end && end.usage ? [end.usage] : []));
  const usage = {
    inputTokens: usages.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: usages.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
  };
  return {
    outcome,
    text,
    ...(isAnswer && outcome === "succeeded" && { answers: true as const }),
    ...(usages.length > 0 && { usage }),
  };
}
