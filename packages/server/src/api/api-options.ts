import type { HttpBindings } from "@hono/node-server";
import type { OpenAPIHono } from "@hono/zod-openapi";
import { LiveThoughts, type Principal, type Sessions } from "@parley/sessions";
import type { Logger } from "pino";
import type { Identity } from "../access/identity.ts";
import type { People } from "../people/people.ts";
import type { Shares } from "../people/shares.ts";
import type { Agents, Files, PrincipalOf, Runs, Settings } from "./api-ports.ts";
import type { RequestLimits } from "./request-rates.ts";
import type { SessionImport } from "./session-import.ts";

/** How much one client may send, and how slowly it may read. */
export interface ApiLimits {
  readonly fileBytes: number;
  readonly importBytes: number;
  /** Sessions of one event stream. */
  readonly followedSessions: number;
  /** A reader of events that takes nothing for so long is cut. */
  readonly stalledMs: number;
  /** How fast one caller may ask; undefined: as fast as it likes. */
  readonly requests: RequestLimits | undefined;
}

/** What the API stands on. */
export interface ApiOptions {
  readonly sessions: Sessions;
  readonly runs: Runs;
  readonly agents: Agents;
  readonly files: Files;
  readonly settings: Settings;
  readonly people: People;
  readonly shares: Shares;
  /** What agents think and nobody keeps. */
  readonly thoughts?: Pick<LiveThoughts, "follow">;
  readonly imports: Pick<SessionImport, "adopt">;
  readonly log: Logger;
  readonly version: string;
  /** Without it everybody is the one local user. */
  readonly principalOf?: PrincipalOf;
  readonly limits?: Partial<ApiLimits>;
}

/** The same, with nothing left open. */
export interface Api extends Required<Omit<ApiOptions, "limits">> {
  readonly limits: ApiLimits;
}

/** What handlers find in their context. */
export interface ApiEnvironment {
  Bindings: HttpBindings;
  Variables: { principal: Principal; identity: Identity };
}

/** Routes of the API, documented by the schemas that check them. */
export type ApiRoutes = OpenAPIHono<ApiEnvironment>;

const LIMITS: ApiLimits = {
  fileBytes: 32 * 1_048_576,
  importBytes: 16 * 1_048_576,
  followedSessions: 100,
  stalledMs: 60_000,
  requests: undefined,
};

/** Fills in what is usual. */
export function completed(options: ApiOptions): Api {
  const principalOf = options.principalOf ?? (() => ({ owner: "local", workspace: "default" }));
  const thoughts = options.thoughts ?? new LiveThoughts();
  return { ...options, principalOf, thoughts, limits: { ...LIMITS, ...options.limits } };
}
