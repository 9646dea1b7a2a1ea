import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { EgressPolicy } from "@parley/a2a";
import type { OidcSettings } from "@parley/identity";
import { defaultModelName, type Environment, withEnvironmentFile } from "@parley/models";
import { type Admission, addressBlocks, isOn, readAdmission } from "./admission.ts";
import { type DataPlace, dataPlace, USUAL_PORT } from "./data-place.ts";
import { numberSetting } from "./number-setting.ts";
import { oidcSettings } from "./oidc-settings.ts";
import { type QuotaSettings, quotaSettings } from "./quota-settings.ts";
import { type StorageSettings, storageSettings } from "./storage-settings.ts";
import { type LogLevel, logLevel } from "./telemetry/logger.ts";
import { type TraceSettings, traceHeaders, tracesUrl } from "./telemetry/start-tracing.ts";

/** The agents that come with Parley. */
const AGENTS = fileURLToPath(new URL("../../../agents", import.meta.url));

/** What an operator can set. */
export interface Configuration extends DataPlace, StorageSettings {
  readonly port: number;
  /** The address that the main port is bound to; agents' ports are on loopback, always. */
  readonly host: string;
  /** Who may come to the main port, and as whom. */
  readonly admission: Admission;
  readonly logLevel: LogLevel;
  /** Absolute path of the folder with the agents' files. */
  readonly agentsFolder: string;
  /** The model of agents that name none. */
  readonly model: string;
  /** Whether the offline model is served to whoever speaks OpenAI's API: `PARLEY_OFFLINE_MODEL_ENDPOINT`. */
  readonly servesOfflineModel: boolean;
  /** Blocks that webhooks may reach although private: `PARLEY_EGRESS_ALLOW`. */
  readonly egress: EgressPolicy;
  /** How many commands a second one user may send to the API in the long run; 0: any number. */
  readonly commandsPerSecond: number;
  /** How much users and workspaces may have, where people show who they are. */
  readonly quotas: QuotaSettings;
  /** How many runs of one user are at work at the same time, where people show who they are; more wait for their turn. */
  readonly activeRuns: number;
  /** Where traces go; undefined: nowhere. */
  readonly traces: TraceSettings | undefined;
  /** How long a node on Postgres may be silent before others take its work over. */
  readonly leaseMs: number;
  /** For how long a node that is told to end still says so to balancers, after it has handed its work over. */
  readonly drainMs: number;
  /** What seals the keys that nodes share in their database. */
  readonly secret: string | undefined;
  /** The provider that says who people are; undefined: nobody signs in. */
  readonly oidc?: OidcSettings | undefined;
  /** The environment, completed by `.env`. */
  readonly environment: Environment;
}

/** Reads the environment; throws a `StartError` that says what is wrong with it. */
export async function readConfiguration(given: NodeJS.ProcessEnv): Promise<Configuration> {
  const environment = await withEnvironmentFile(given, resolve(".env"));
  const admission = readAdmission(environment);
  const activeRuns = numberSetting("PARLEY_USER_ACTIVE_RUNS", environment.PARLEY_USER_ACTIVE_RUNS || "16", {
    must: "a number of runs, or 0 for any number",
  });
  return {
    port: portNumber(environment.PORT || USUAL_PORT, "PORT"),
    host: environment.PARLEY_HOST || "127.0.0.1",
    admission,
    ...dataPlace(environment),
    ...storageSettings(environment),
    // A person at a terminal wants to see what is wrong; a program that gathers logs, what happens.
    logLevel: logLevel(environment.PARLEY_LOG, process.stderr.isTTY ? "warn" : "info"),
    agentsFolder: resolve(environment.PARLEY_AGENTS || AGENTS),
    model: defaultModelName(environment),
    servesOfflineModel: isOn("PARLEY_OFFLINE_MODEL_ENDPOINT", environment.PARLEY_OFFLINE_MODEL_ENDPOINT),
    egress: { allow: addressBlocks("PARLEY_EGRESS_ALLOW", environment.PARLEY_EGRESS_ALLOW) },
    commandsPerSecond: numberSetting("PARLEY_RATE", environment.PARLEY_RATE || "100", {
      must: "a number of commands a second, or 0 for any number",
    }),
    quotas: quotaSettings(environment),
    // Where everybody is the local user there is nobody to share with.
    activeRuns: (admission.isRequired && activeRuns) || Number.POSITIVE_INFINITY,
    traces: traceSettings(environment),
    leaseMs: 1_000 * seconds("PARLEY_LEASE", environment.PARLEY_LEASE || "10", 2),
    drainMs: 1_000 * seconds("PARLEY_DRAIN", environment.PARLEY_DRAIN || "0", 0),
    secret: environment.PARLEY_SECRET || undefined,
    oidc: oidcSettings(environment),
    environment,
  };
}

function traceSettings(environment: Environment): TraceSettings | undefined {
  if (!environment.OTEL_EXPORTER_OTLP_ENDPOINT) return undefined;
  return {
    url: tracesUrl(environment.OTEL_EXPORTER_OTLP_ENDPOINT),
    headers: traceHeaders(environment.OTEL_EXPORTER_OTLP_HEADERS),
    service: environment.OTEL_SERVICE_NAME || "parley",
    content: environment.PARLEY_TRACE_CONTENT === "on",
  };
}

/** Reads a port; throws a `StartError` that names the setting. */
export function portNumber(text: string, setting: string): number {
  return numberSetting(setting, text, { must: "a number from 0 to 65535", most: 65_535 });
}

function seconds(setting: string, text: string, least: number): number {
  return numberSetting(setting, text, { must: `a number of seconds from ${least} on`, least, most: 9_999 });
}
