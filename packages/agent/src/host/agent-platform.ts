import type { IncomingMessage } from "node:http";
import type { Meter } from "@opentelemetry/api";
import type { AgentDescription, CallerIdentity, FairQueue, Log, PushConfigs, Tracing } from "@parley/a2a";
import type { Journal } from "@parley/journal";
import type { Environment } from "@parley/models";

/** What agents that run here share. */
export interface AgentPlatform {
  /** Opened with `taskTables` and, for webhooks, the push table. */
  readonly journal: Journal;
  /** Without it, agents have no webhooks. */
  readonly push?: PushConfigs;
  readonly log: Log;
  readonly meter: Meter;
  /** Without it nothing is traced. */
  readonly tracing?: Tracing;
  /** Keys and addresses of models. */
  readonly environment: Environment;
  /** The model of agents that name none. */
  readonly model: string;
  /** For MCP servers over HTTP: the guarded one. */
  readonly fetch: typeof globalThis.fetch;
  /** Whose call of a model is next; without it none waits. */
  readonly modelCalls?: FairQueue;
  /** Only the platform itself can call: what its messages say about the workspace holds. */
  readonly isInternal?: boolean;
  /** Who calls; without it, everybody is the local user. */
  readonly callerOf?: (request: IncomingMessage) => CallerIdentity;
  /** How callers show who they are, for the cards; without it, they need not. */
  readonly security?: Pick<AgentDescription, "securitySchemes" | "securityRequirements">;
}
