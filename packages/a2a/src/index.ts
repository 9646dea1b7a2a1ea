export { agentListener, isAgentPath, refuseCall } from "./bindings/agent-listener.ts";
export { type AgentOperations, agentOperations } from "./bindings/agent-operations.ts";
export { startGrpcServer } from "./bindings/grpc/grpc-server.ts";
export { NotAuthenticatedCallError, TooManyCallsError, TooMuchStoredError } from "./bindings/http-error.ts";
export { JsonScan, listOf, MAX_BODY_BYTES } from "./bindings/json-limits.ts";
export { incomingBodies, needsTurn } from "./bindings/read-json.ts";
export { takesMediaType } from "./bindings/request-limits.ts";
export { type ServedCall, servedCalls } from "./bindings/served-calls.ts";
export { closeSignal, openEventStreams, SSE_DONE, SseResponse, sseFrame } from "./bindings/sse-response.ts";
export { definedMembers } from "./cards/card-findings.ts";
export { makeSigningKey, signCard } from "./cards/card-signature.ts";
export { CardSignatureError, verifyCard } from "./cards/card-verification.ts";
export {
  type AgentDescription,
  agentCardJson,
  agentJson,
  type PublishedInterface,
} from "./cards/published-cards.ts";
export { type ServedCard, servedCard } from "./cards/served-card.ts";
export * from "./client/index.ts";
export { withoutCarriage } from "./dialects/carried.ts";
export { EgressError } from "./egress/egress-errors.ts";
export { type EgressPolicy, type Lookup, streamLimits } from "./egress/egress-policy.ts";
export { checkTarget } from "./egress/egress-target.ts";
export { guardedFetch } from "./egress/guarded-fetch.ts";
export { type Cidr, contains as addressBlockHas, parseAddress, parseCidrList } from "./egress/ip-address.ts";
export * from "./extension/extension-member.ts";
export * from "./extension/members.ts";
export * from "./extension/workspace.ts";
export { followTask } from "./interpreter/follow-task.ts";
export type * from "./interpreter/peer-event.ts";
export {
  inlineText,
  isInlineText,
  isThought,
  memberInMessage,
  StreamInterpreter,
  UNSPECIFIED_QUESTION,
} from "./interpreter/stream-interpreter.ts";
export * from "./protocol/errors.ts";
export { inWords, isText } from "./protocol/in-words.ts";
export type * from "./protocol/model.ts";
export { isObject, textOf } from "./protocol/model.ts";
export { ConfigSeal } from "./push/config-seal.ts";
export { type DeadLetter, DeadLetters } from "./push/dead-letters.ts";
export { PushConfigs } from "./push/push-configs.ts";
export { PushDelivery, type PushDeliveryOptions } from "./push/push-delivery.ts";
export { silentPushObserver } from "./push/push-observer.ts";
export { type PushTable, pushTable } from "./push/push-table.ts";
export { signingSecret } from "./push/webhook-signature.ts";
export { FairQueue, type Share } from "./scheduling/fair-queue.ts";
export type { CallerIdentity, CallerQuota } from "./tasks/caller.ts";
export { TaskCanceledError } from "./tasks/execution/task-execution.ts";
export type {
  ArtifactOptions,
  ArtifactWriter,
  Content,
  Ending,
  ExecutionContext,
  Executor,
} from "./tasks/executor.ts";
export { taskTables } from "./tasks/tables/task-table.ts";
export { TaskEngine } from "./tasks/task-engine.ts";
export { observedBy, silentObserver, type TaskObserver } from "./tasks/task-observer.ts";
export { TaskOperations } from "./tasks/task-operations.ts";
export { isInterrupted, isTerminal } from "./tasks/task-states.ts";
export { failOrphanedTasks, TaskUpkeep } from "./tasks/upkeep/task-upkeep.ts";
export { type Log, type LogFields, logObserver, silentLog } from "./telemetry/log-observer.ts";
export { metricClientObserver } from "./telemetry/metric-client-observer.ts";
export { metricObserver } from "./telemetry/metric-observer.ts";
export { metricPushObserver } from "./telemetry/metric-push-observer.ts";
export { tracedExecutor } from "./telemetry/traced-executor.ts";
export { noTracing, OpenSpan, Trace, type Tracing } from "./tracing/trace.ts";
