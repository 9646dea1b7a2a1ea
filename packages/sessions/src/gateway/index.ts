export { type AgentAddress, type AgentCalls, gatewayClientLimits } from "./agent-calls.ts";
export { RegistryAgents } from "./registry-agents.ts";
export type { RunFrame } from "./run-frame.ts";
export { defaultRunLimits, type RunLimits } from "./run-limits.ts";
export { type RunObserver, silentRunObserver } from "./run-observer.ts";
export type { RunQueue, RunReference } from "./run-queue.ts";
export { FRAMES_KEPT_MS, forgetFrames } from "./run-retention.ts";
export { RunRunner, type RunRunnerOptions } from "./run-runner.ts";
export { RunTransform } from "./transform/run-transform.ts";
