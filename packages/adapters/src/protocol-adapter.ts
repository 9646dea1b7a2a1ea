import type { Hono } from "hono";
import type { AdapterEnvironment, AdapterHost } from "./adapter-host.ts";
import type { Problem, problemAnswer } from "./problem.ts";

/** A problem as a response. */
export type Refusal = ReturnType<typeof problemAnswer>;

/**
 * Serves clients of another protocol. Its callers are authenticated, counted and authorised as everywhere else;
 * its routes see the same sessions, and its refusals are in its protocol's own shape.
 */
export interface ProtocolAdapter {
  /** The URLs that it serves, matched against the path alone. */
  readonly paths: RegExp;
  /** The largest body, where that is more than elsewhere. */
  readonly bodyBytes?: number;
  routes(host: AdapterHost): Hono<AdapterEnvironment>;
  refusal(problem: Problem): Refusal;
}
