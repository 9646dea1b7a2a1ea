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

/** The settings of an operator. */
export interface Configuration extends DataPlace, StorageSettings {
  readonly port: number;
  /** The address of the main port; agents always listen on loopback. */
  readonly host: string;
  readonly admission: Admission;
  readonly logLevel: LogLevel;
  /** Absolute path of the folder with agent files. */
  readonly agentsFolder: string;
  /** The default model of agents. */
  readonly model: string;
  /** Whether the offline model is served by OpenAI's API. */
  readonly servesOfflineModel: boolean;
  /** Private address blocks that webhooks may reach. */
  readonly egress: EgressPolicy;
  /** How many commands per second one user may send; 0 for no limit. */
  readonly commandsPerSecond: number;
  readonly quotas: QuotaSettings;
  /** How many runs of one user may be active at once; further ones wait. */
  readonly activeRuns: number;
  readonly traces: TraceSettings | undefined;
  /** How long a node on Postgres may be silent before others take over its work. */
  readonly leaseMs: number;
  /** How long a node that shuts down still answers load balancers after handing over its work. */
  readonly drainMs: number;
  /** Encrypts the keys in a shared database. */
  readonly secret: string | undefined;
  readonly oidc?: OidcSettings | undefined;
  /** The environment, completed by `.env`. */
  readonly environment: Environment;
}

/** Reads the environment; throws a `StartError`. */
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
    // Terminals show only problems; log collectors want everything.
    logLevel: logLevel(environment.PARLEY_LOG, process.stderr.isTTY ? "warn" : "info"),
    agentsFolder: resolve(environment.PARLEY_AGENTS || AGENTS),
    model: defaultModelName(environment),
    servesOfflineModel: isOn("PARLEY_OFFLINE_MODEL_ENDPOINT", environment.PARLEY_OFFLINE_MODEL_ENDPOINT),
    egress: { allow: addressBlocks("PARLEY_EGRESS_ALLOW", environment.PARLEY_EGRESS_ALLOW) },
    commandsPerSecond: numberSetting("PARLEY_RATE", environment.PARLEY_RATE || "100", {
      must: "a number of commands a second, or 0 for any number",
    }),
    quotas: quotaSettings(environment),
    // Without authentication everybody is one user.
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

/** Parses a port; throws a `StartError`. */
export function portNumber(text: string, setting: string): number {
  return numberSetting(setting, text, { must: "a number from 0 to 65535", most: 65_535 });
}

function seconds(setting: string, text: string, least: number): number {
  return numberSetting(setting, text, { must: `a number of seconds from ${least} on`, least, most: 9_999 });
}
