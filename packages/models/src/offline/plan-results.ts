import { z } from "zod";
import type { ToolCall, ToolOutcome } from "../model.ts";
import { isSchema } from "./json-schema.ts";
import { roleOf, type StepRole } from "./plan-call.ts";
import { readValue } from "./read-value.ts";

const stepId = z.union([z.string(), z.number()]);
const carriedOut = z.looseObject({
  steps: z.array(
    z.looseObject({
      id: stepId,
      agent: z.string().default(""),
      state: z.string(),
      result: z.string().default(""),
    }),
  ),
});

/** A step of a plan that was carried out, as a call of its own. */
export interface PlanResult {
  readonly number: number;
  readonly title: string;
  /** Left out, for a reason that `outcome` tells. */
  readonly skipped: boolean;
  readonly call: ToolCall;
  readonly outcome: ToolOutcome;
  readonly value: unknown;
}

/** What the steps of a plan came to, by the outcome of the call that carried it out; undefined where that tells no steps. */
export function planResults(plan: ToolCall, outcome: ToolOutcome | undefined): PlanResult[] | undefined {
  const { data } = carriedOut.safeParse(outcome === undefined ? undefined : readValue(outcome.text));
  if (data === undefined) return undefined;
  const planned = plannedIn(plan);
  return data.steps.map(({ id: name, agent, state, result }, position) => {
    const step = planned.find((one) => textOf(one.id) === String(name)) ?? {};
    const number = Number(/(?<!\d)(\d+)$/.exec(String(name))?.[1] ?? position + 1);
    const id = `${plan.id}_step_${number}`;
    const order = textOf(step.order);
    const title = textOf(step.title) || order || String(name);
    const text = state === "canceled" ? `it was canceled. ${result}`.trim() : result;
    return {
      number,
      title,
      skipped: state === "skipped" || state === "pending",
      call: { id, tool: agent || textOf(step.owner), arguments: {}, text: order },
      outcome: { id, tool: agent, failed: state !== "completed", text },
      value: readValue(text),
    };
  });
}

/** The steps of a plan as it was written, by whatever names its tool has for them. */
function plannedIn({ arguments: args }: ToolCall): Partial<Record<StepRole, unknown>>[] {
  const steps = Array.isArray(args?.steps) ? args.steps.filter(isSchema) : [];
  return steps.map((step) =>
    Object.fromEntries(Object.entries(step).flatMap(([name, value]) => [[roleOf(name) ?? name, value]])),
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
