import { A2AError } from "../../protocol/errors.ts";
import { MAX_DEPTH } from "../json-limits.ts";

/** Refuses what protobuf can say and JSON cannot, and nesting deeper than the other bindings take. */
export function plainJson(value: unknown): unknown {
  const problem = jsonProblem(value);
  if (problem === undefined) return value;
  throw new A2AError("InvalidParams", `The request ${problem}`);
}

/** What keeps a value from being plain JSON, as the end of a sentence; undefined: nothing. */
export function jsonProblem(value: unknown): string | undefined {
  return problemOf(value, MAX_DEPTH);
}

function problemOf(value: unknown, levels: number): string | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) return "has a number that is not finite";
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value) && value.includes(undefined)) return "has a list with a value that is none";
  if (levels === 0) return `is nested deeper than ${MAX_DEPTH} levels`;
  for (const member of Object.values(value)) {
    const problem = problemOf(member, levels - 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
