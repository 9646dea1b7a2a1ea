export { type AgentListenerOptions, agentListener } from "./bindings/agent-listener.ts";
export { type AgentOperations, agentOperations } from "./bindings/agent-operations.ts";
export { type AgentDescription, agentCardJson, agentJson } from "./cards/published-cards.ts";
export { type ServedCard, servedCard } from "./cards/served-card.ts";
export { parseCidrList } from "./egress/cidr.ts";
export type { EgressPolicy } from "./egress/egress-policy.ts";
export * from "./protocol/errors.ts";
export type * from "./protocol/model.ts";
export { textOf } from "./protocol/text.ts";
export { ConfigSeal, SealBrokenError } from "./push/config-seal.ts";
export { type DeadLetter, type DeadLetterQuery, DeadLetters } from "./push/dead-letters.ts";
export { keyFromText, loadOrCreateKey } from "./push/key-file.ts";
export { PushConfigs, type PushConfigsOptions } from "./push/push-configs.ts";
export { PushDelivery, type PushDeliveryOptions } from "./push/push-delivery.ts";
export { type NotificationName, type PushObserver, silentPushObserver } from "./push/push-observer.ts";
export { type PushTable, pushTable } from "./push/push-table.ts";
export { defaultRetries, type RetrySchedule } from "./push/retry-schedule.ts";
export { signingSecret } from "./push/webhook-signature.ts";
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
