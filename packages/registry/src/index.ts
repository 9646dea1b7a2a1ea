export type { AgentListing, AgentSource } from "./agent-listing.ts";
export { AgentRegistry, type AgentRegistryOptions } from "./agent-registry.ts";
export { AgentsFile, type AgentsFileOptions } from "./agents-file/agents-file.ts";
export type { AgentsFileProblem } from "./agents-file/parse-agents-file.ts";
export { type CheckPace, defaultPace } from "./check-pace.ts";
export { type AgentStanding, type AgentState, findingText, type KnownAgent } from "./known-agent.ts";
export { ListedAgents } from "./listed-agents.ts";
export { AgentDownError, RegistryError, UnknownAgentError } from "./registry-errors.ts";
export { logRegistryObserver, type RegistryObserver, silentRegistryObserver } from "./registry-observer.ts";
