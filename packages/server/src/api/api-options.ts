import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import type { OpenAPIHono } from "@hono/zod-openapi";
import { type DeadLetters, noTracing, type Tracing } from "@parley/a2a";
import type { Runs } from "@parley/adapters";
import { type CountedAudit, type Identity, LOCAL_USER, type People, type ShareLinks } from "@parley/identity";
import { LiveThoughts, type Principal, type Sessions } from "@parley/sessions";
import type { Logger } from "pino";
import type { LoopShares } from "../quotas/loop-shares.ts";
import type { Agents, Audit, Files, Keys, Settings } from "./api-ports.ts";
import { OpenStreams } from "./events/open-streams.ts";
import type { KeyedCommands } from "./keyed-commands.ts";
import type { RequestLimits } from "./request-rates.ts";
import type { SessionImport } from "./session-import.ts";

/** How much one client may send, and how slowly it may read. */
export interface ApiLimits {
  readonly fileBytes: number;
  readonly importBytes: number;
  readonly followedSessions: number;
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
  readonly shares: ShareLinks;
  /** What agents think and nobody keeps. */
  readonly thoughts?: Pick<LiveThoughts, "follow">;
  readonly imports: Pick<SessionImport, "adopt">;
  /** Aborted when this node is about to end: event streams end, and their readers go on elsewhere. */
  readonly draining?: AbortSignal;
  readonly log: Logger;
  readonly version: string;
  /** Where people reach us, if that is not where they ask: a proxy may be in front. */
  readonly publicUrl?: string | undefined;
  /** Whose turn at the event loop it is; without it nobody waits. */
  readonly turns?: LoopShares | undefined;
  /** Who sends a request; without it everybody is the one local user. */
  readonly identityOf?: (request: IncomingMessage) => Identity | Promise<Identity>;
  readonly keys: Keys;
  readonly audit: Audit;
  /** What readers of links do, whom nobody knows; without it nothing is noted. */
  readonly notes?: Pick<CountedAudit, "note">;
  /** Commands that are not a session's, each once under its key. */
  readonly commands: Pick<KeyedCommands, "once" | "onceDone">;
  /** Without it nothing is traced. */
  readonly tracing?: Tracing;
  readonly limits?: Partial<ApiLimits>;
  /** The streams that each user has open, by whichever protocol; without it, there may be any number. */
  readonly streams?: OpenStreams;
}

/** The same, with nothing left open. */
export interface Api
  extends Required<Omit<ApiOptions, "limits" | "publicUrl" | "notes" | "turns">>,
    Pick<ApiOptions, "publicUrl" | "notes" | "turns"> {
  readonly limits: ApiLimits;
}

/** What handlers find in their context. */
export interface ApiEnvironment {
  Bindings: HttpBindings;
  /** `key`: the `Idempotency-Key` of a command. */
  Variables: { principal: Principal; identity: Identity; key: string | undefined };
}

/** Routes of the API, documented by the schemas that check them. */
export type ApiRoutes = OpenAPIHono<ApiEnvironment>;

const LIMITS: ApiLimits = {
  fileBytes: 32 * 1_048_576,
  importBytes: 16 * 1_048_576,
  followedSessions: 100,
  stalledMs: 60_000,
  // Before clients give up, as many do after a minute.
  questionMs: 50_000,
  requests: undefined,
};

/** Fills in what is usual. */
export function completed(options: ApiOptions): Api {
  const identityOf = options.identityOf ?? (() => LOCAL_USER);
  const thoughts = options.thoughts ?? new LiveThoughts();
  const tracing = options.tracing ?? noTracing;
  const draining = options.draining ?? new AbortController().signal;
  const limits = { ...LIMITS, ...options.limits };
  const streams = options.streams ?? new OpenStreams();
  return { ...options, identityOf, thoughts, tracing, draining, limits, streams };
}
