export { type AgentListenerOptions, agentListener } from "./bindings/agent-listener.ts";
export { type AgentOperations, agentOperations } from "./bindings/agent-operations.ts";
export { type AgentDescription, agentCardJson, agentJson } from "./cards/published-cards.ts";
export { type ServedCard, servedCard } from "./cards/served-card.ts";
export * from "./client/index.ts";
export * from "./protocol/errors.ts";
export type * from "./protocol/model.ts";
export { textOf } from "./protocol/text.ts";
export type { Caller } from "./tasks/caller.ts";
export type {
  ArtifactOptions,
  ArtifactWriter,
  Content,
  Ending,
  ExecutionContext,
  Executor,
} from "./tasks/executor.ts";
export { TaskEngine, type TaskEngineOptions } from "./tasks/task-engine.ts";
export { silentObserver, type TaskObserver } from "./tasks/task-observer.ts";
export { TaskOperations } from "./tasks/task-operations.ts";
export { taskTable } from "./tasks/task-table.ts";
export { TaskUpkeep, type UpkeepOptions } from "./tasks/task-upkeep.ts";
