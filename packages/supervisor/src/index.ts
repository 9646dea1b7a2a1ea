export { type DelegationEntry, delegationIn } from "./delegation/delegation-log.ts";
export { Supervisor, type SupervisorOptions } from "./supervisor.ts";
export { DEFAULT_LIMITS as SUPERVISOR_LIMITS } from "./supervisor-executor.ts";
