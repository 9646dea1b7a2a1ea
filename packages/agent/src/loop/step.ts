import type { ExecutionContext, Json } from "@parley/a2a";
import type { ToolCall } from "@parley/models";
import { z } from "zod";

const call = z.object({
  id: z.string(),
  tool: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
  text: z.string(),
});
const usage = z.record(z.string(), z.number());

/**
 * What is recorded of an agent's work. A turn is recorded with its calls before any of them runs, and each outcome
 * when it is there: so an execution that a crash cuts short goes on from the last of these.
 */
const step = z.union([
  z.object({
    turn: z.object({ text: z.string(), calls: z.array(call), usage, echo: z.unknown().optional() }),
  }),
  z.object({
    outcome: z.object({
      id: z.string(),
      tool: z.string(),
      outcome: z.enum(["succeeded", "failed", "canceled", "unknown"]),
      text: z.string(),
      answers: z.literal(true).optional(),
      usage: usage.optional(),
    }),
  }),
  /** A person was asked whether this call may be made. */
  z.object({ asked: z.object({ id: z.string(), argumentsHash: z.string() }) }),
  z.object({
    answered: z.object({
      id: z.string(),
      approved: z.boolean(),
      arguments: z.record(z.string(), z.unknown()).optional(),
      note: z.string().optional(),
    }),
  }),
  /** A further message of the user's. */
  z.object({ said: z.string() }),
]);

export type Step = z.infer<typeof step>;

/** Where steps are recorded; `add` resolves when the step is committed. */
export interface StepRecord {
  readonly steps: readonly Step[];
  /** Resolves when it is committed. */
  add(step: Step): Promise<void>;
  /** Commits it with what comes next. */
  addLater(step: Step): void;
}

/** The steps among an execution's notes. */
export function stepsIn(notes: readonly Json[]): Step[] {
  return notes.map((note) => step.parse(note));
}

/** Steps as notes of the task; those that are there already come first. */
export function stepRecord(context: ExecutionContext, known: readonly Step[]): StepRecord {
  const steps = [...known];
  return {
    steps,
    async add(step) {
      await context.note(step as Json);
      steps.push(step);
    },
    addLater(step) {
      context.noteLater(step as Json);
      steps.push(step);
    },
  };
}

/** A call as a step has it: what was written is kept only where no arguments could be read from it. */
export function recordedCall({ id, tool, arguments: given, text }: ToolCall): z.infer<typeof call> {
  return { id, tool, ...(given ? { text: "", arguments: { ...given } } : { text }) };
}
