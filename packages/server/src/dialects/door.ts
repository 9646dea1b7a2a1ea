import type { Hono } from "hono";
import type { Api, ApiEnvironment } from "../api/api-options.ts";
import type { Problem, problemAnswer } from "../api/problem.ts";

/** A whole answer that tells of a problem. */
export type Refusal = ReturnType<typeof problemAnswer>;

/**
 * A door for clients that speak another protocol. Who comes through it is known, counted and allowed as everywhere else;
 * its routes see the same sessions, and its refusals are in its protocol's own shape.
 */
export interface Door {
  /** What is asked for here: matched against the path alone. */
  readonly paths: RegExp;
  /** So large a body may be, where that is more than elsewhere. */
  readonly bodyBytes?: number;
  routes(api: Api): Hono<ApiEnvironment>;
  refusal(problem: Problem): Refusal;
}
