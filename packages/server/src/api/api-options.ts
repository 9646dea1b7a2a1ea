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

/** What one client may send and follow. */
export interface ApiLimits {
  readonly fileBytes: number;
  readonly importBytes: number;
  readonly followedSessions: number;
  /** An event stream whose reader takes nothing for this long is closed. */
  readonly stalledMs: number;
  /** A question that nobody answers for this long is reported to the client instead of waiting further. */
  readonly questionMs: number;
  /** How many requests one caller may send; undefined for no limit. */
  readonly requests: RequestLimits | undefined;
}

/** What the API depends on. */
export interface ApiOptions {
  readonly sessions: Sessions;
  readonly runs: Runs;
  readonly agents: Agents;
  readonly files: Files;
  readonly settings: Settings;
  /** Webhook notifications that could not be delivered, by owner. */
  readonly deadLetters: Pick<DeadLetters, "list" | "replay">;
  readonly people: People;
  readonly shares: ShareLinks;
  /** What agents think, where it is not stored. */
  readonly thoughts?: Pick<LiveThoughts, "follow">;
  /** Aborted when this node shuts down: event streams end, and their readers resume on another node. */
  readonly draining?: AbortSignal;
  readonly log: Logger;
  readonly version: string;
  /** Where people reach the platform behind a proxy. */
  readonly publicUrl?: string | undefined;
  /** Shares the event loop fairly; without it nobody waits. */
  readonly turns?: LoopShares | undefined;
  /** Who sends a request; by default the local user. */
  readonly identityOf?: (request: IncomingMessage) => Identity | Promise<Identity>;
  readonly keys: Keys;
  readonly audit: Audit;
  /** Audits refusals, and reads by share links. */
  readonly notes?: Pick<CountedAudit, "note">;
  /** Runs commands that do not belong to a session once per idempotency key. */
  readonly commands: Pick<KeyedCommands, "once" | "onceDone">;
  readonly tracing?: Tracing;
  readonly limits?: Partial<ApiLimits>;
  /** Limits the open streams of each user, by any protocol. */
  readonly streams?: OpenStreams;
}

/** The options with defaults filled in. */
export interface Api
  extends Required<Omit<ApiOptions, "limits" | "publicUrl" | "notes" | "turns">>,
    Pick<ApiOptions, "publicUrl" | "notes" | "turns"> {
  readonly limits: ApiLimits;
}

/** What handlers find in their context; `key` is the `Idempotency-Key` of a command. */
export interface ApiEnvironment {
  Bindings: HttpBindings;
  Variables: { principal: Principal; identity: Identity; key: string | undefined };
}

/** Routes of the API, documented by the schemas that check them. */
export type ApiRoutes = OpenAPIHono<ApiEnvironment>;

const LIMITS: ApiLimits = {
  fileBytes: 32 * 1_048_576,
  importBytes: 16 * 1_048_576,
  followedSessions: 100,
  stalledMs: 60_000,
  // Many clients give up after a minute.
  questionMs: 50_000,
  requests: undefined,
};

/** Fills in the defaults. */
export function withDefaults(options: ApiOptions): Api {
  const identityOf = options.identityOf ?? (() => LOCAL_USER);
  const thoughts = options.thoughts ?? new LiveThoughts();
  const tracing = options.tracing ?? noTracing;
  const draining = options.draining ?? new AbortController().signal;
  const limits = { ...LIMITS, ...options.limits };
  const streams = options.streams ?? new OpenStreams();
  return { ...options, identityOf, thoughts, tracing, draining, limits, streams };
}
