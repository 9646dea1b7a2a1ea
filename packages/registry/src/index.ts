export { type AgentListing, type AgentSource, ListedAgents } from "./agent-listing.ts";
export { SUPERVISOR } from "./agent-names.ts";
export { AgentRegistry } from "./agent-registry.ts";
export type { CheckLeadership } from "./agent-watch.ts";
export { AgentsFile } from "./agents-file/agents-file.ts";
export { type AgentStanding, findingText, type KnownAgent } from "./known-agent.ts";
export { AgentDownError, AgentsStartingError, RegistryError, UnknownAgentError } from "./registry-errors.ts";
export { logRegistryObserver } from "./registry-observer.ts";
