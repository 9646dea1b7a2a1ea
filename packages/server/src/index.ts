export { type Configuration, readConfiguration } from "./configuration.ts";
export { guardedServer } from "./http/guarded-server.ts";
export { listen } from "./http/listen.ts";
export { type Platform, startPlatform } from "./platform.ts";
export { type SoleAgent, startSoleAgent } from "./sole-agent.ts";
export { StartError } from "./start-error.ts";
export { observeJournal } from "./telemetry/journal-metrics.ts";
export { createLogger, type LogLevel, logLevel } from "./telemetry/logger.ts";
export { type Metrics, metricsListener, startMetrics } from "./telemetry/metrics.ts";
