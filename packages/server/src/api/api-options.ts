import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import type { OpenAPIHono } from "@hono/zod-openapi";
import { type DeadLetters, noTracing, type Tracing } from "@parley/a2a";
import { LiveThoughts, type Principal, type Sessions } from "@parley/sessions";
import type { Logger } from "pino";
import type { CountedAudit } from "../access/counted-audit.ts";
import { type Identity, LOCAL } from "../access/identity.ts";
import type { People } from "../people/people.ts";
import type { Shares } from "../people/shares.ts";
import type { Agents, Audit, Files, Keys, Runs, Settings } from "./api-ports.ts";
import { OpenStreams } from "./events/open-streams.ts";
import type { KeyedCommands } from "./keyed-commands.ts";
import type { RequestLimits } from "./request-rates.ts";
import type { SessionImport } from "./session-import.ts";

/** How much one client may send, and how slowly it may read. */
export interface ApiLimits {
  readonly fileBytes: number;
  readonly importBytes: number;
  /** Sessions of one event stream. */
  readonly followedSessions: number;
  /** Event streams that one user may have open; undefined: any number. */
  readonly streams: number | undefined;
  /** The same, of all users of a workspace. */
  readonly workspaceStreams: number | undefined;
  /** A reader of events that takes nothing for so long is cut. */
  readonly stalledMs: number;
  /** A question that a client was to show its user, and that nobody has answered for so long, is told of otherwise. */
  readonly questionMs: number;
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
  /** Webhooks that were given up; each owner's are their own. */
  readonly deadLetters: Pick<DeadLetters, "list" | "replay">;
  readonly people: People;
  readonly shares: Shares;
  /** What agents think and nobody keeps. */
  readonly thoughts?: Pick<LiveThoughts, "follow">;
  readonly imports: Pick<SessionImport, "adopt">;
  /** Aborted when this node is about to end: event streams end, and their readers go on elsewhere. */
  readonly draining?: AbortSignal;
  readonly log: Logger;
  readonly version: string;
  /** Where people reach us, if that is not where they ask: a proxy may be in front. */
  readonly publicUrl?: string | undefined;
  /** Who sends a request; without it everybody is the one local user. */
  readonly identityOf?: (request: IncomingMessage) => Identity | Promise<Identity>;
  readonly keys: Keys;
  readonly audit: Audit;
  /** What readers of links do, whom nobody knows; without it nothing is noted. */
  readonly notes?: Pick<CountedAudit, "note">;
  /** Commands that are not a session's, each once under its key. */
  readonly commands: Pick<KeyedCommands, "once">;
  /** Without it nothing is traced. */
  readonly tracing?: Tracing;
  readonly limits?: Partial<ApiLimits>;
}

/** The same, with nothing left open. */
export interface Api
  extends Required<Omit<ApiOptions, "limits" | "publicUrl" | "notes">>,
    Pick<ApiOptions, "publicUrl" | "notes"> {
  readonly limits: ApiLimits;
  /** The event streams that each user has open. */
  readonly streams: OpenStreams;
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
  streams: undefined,
  workspaceStreams: undefined,
  stalledMs: 60_000,
  // Before clients give up, as many do after a minute.
  questionMs: 50_000,
  requests: undefined,
};

/** Fills in what is usual. */
export function completed(options: ApiOptions): Api {
  const identityOf = options.identityOf ?? (() => LOCAL);
  const thoughts = options.thoughts ?? new LiveThoughts();
  const tracing = options.tracing ?? noTracing;
  const draining = options.draining ?? new AbortController().signal;
  const limits = { ...LIMITS, ...options.limits };
  const streams = new OpenStreams(limits.streams, limits.workspaceStreams);
  return { ...options, identityOf, thoughts, tracing, draining, limits, streams };
}
