export type { AgentDirectory, Delegate } from "./delegation/agent-directory.ts";
export { type DelegationLimits, defaultDelegationLimits } from "./delegation/delegation-limits.ts";
export { type DelegationEntry, delegationIn } from "./delegation/delegation-log.ts";
export { registryDirectory } from "./registry-directory.ts";
export { SUPERVISOR, Supervisor, type SupervisorOptions } from "./supervisor.ts";
export {
  DEFAULT_LIMITS as SUPERVISOR_LIMITS,
  SupervisorExecutor,
  type SupervisorSetup,
} from "./supervisor-executor.ts";
