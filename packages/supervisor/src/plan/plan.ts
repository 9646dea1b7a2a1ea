import { z } from "zod";
import { oneLine, withoutHalfPair } from "./one-line.ts";

export const MAX_STEPS = 50;

const MAX_ID_LENGTH = 100;
const MAX_TITLE_LENGTH = 300;
const MAX_BORROWED_TITLE_LENGTH = 80;

export interface PlanStep {
  readonly id: string;
  /** One line for the user. */
  readonly title: string;
  readonly agent: string;
  readonly request: string;
  /** The steps whose results it needs, by id. */
  readonly dependencies: readonly string[];
}

/** Steps with unique ids, whose dependencies are steps of the plan without a cycle. */
export interface Plan {
  readonly steps: readonly PlanStep[];
}

const id = z.union([z.string().max(MAX_ID_LENGTH), z.number()]).transform((value) => oneLine(String(value)));

/** A step as models write it; missing fields are filled in. */
const writtenStep = z.object({
  id: id.nullish(),
  title: z.string().max(MAX_TITLE_LENGTH).transform(oneLine).nullish(),
  agent: z.string().transform(oneLine),
  request: z.string().nullish(),
  dependencies: z.array(id).nullish(),
});

/** The step at this place (from 1) of a plan, or what is wrong with it. */
export function readStep(value: unknown, place: number): PlanStep | { readonly problem: string } {
  const written = writtenStep.safeParse(value);
  if (!written.success) {
    const issues = written.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
    return { problem: `Step ${place} is not well formed (${issues.slice(0, 5).join("; ")}).` };
  }
  const { agent, request, dependencies } = written.data;
  const title = written.data.title || borrowedTitle(request ?? "");
  if (title === "") return { problem: `Step ${place} has neither a title nor a request.` };
  return {
    id: written.data.id || String(place),
    title,
    agent,
    request: request?.trim() ? request : title,
    dependencies: [...new Set(dependencies)],
  };
}

function borrowedTitle(request: string): string {
  const title = oneLine(request);
  if (title.length <= MAX_BORROWED_TITLE_LENGTH) return title;
  return `${withoutHalfPair(title.slice(0, MAX_BORROWED_TITLE_LENGTH)).trimEnd()}…`;
}
