export {
  type AgentListenerOptions,
  agentListener,
  isAgentPath,
  refuseCall,
} from "./bindings/agent-listener.ts";
export { type AgentOperations, type AgentOptions, agentOperations } from "./bindings/agent-operations.ts";
export type { GrpcCall } from "./bindings/grpc/grpc-calls.ts";
export {
  type GrpcLimits,
  type GrpcServer,
  type GrpcServerOptions,
  startGrpcServer,
} from "./bindings/grpc/grpc-server.ts";
export { NotAuthenticatedCallError, TooManyCallsError, UnauthenticatedError } from "./bindings/http-error.ts";
export { isDeeperThan } from "./bindings/json-depth.ts";
export { takesMediaType } from "./bindings/media-types.ts";
export { MAX_BODY_BYTES, MAX_DEPTH } from "./bindings/read-json.ts";
export type { RequestLimits } from "./bindings/request-limits.ts";
export {
  JournalRequestHandler,
  type JournalRequestHandlerOptions,
} from "./bindings/sdk/journal-request-handler.ts";
export { type ServedCall, servedCalls } from "./bindings/served-calls.ts";
export {
  closeSignal,
  openEventStreams,
  SseResponse,
  type SseResponseOptions,
} from "./bindings/sse-response.ts";
export { signCard } from "./cards/card-signature.ts";
export { CardSignatureError, type VerifiedCard, verifyCard } from "./cards/card-verification.ts";
export {
  type AgentDescription,
  agentCardJson,
  agentJson,
  type PublishedInterface,
} from "./cards/published-cards.ts";
export { type ServedCard, servedCard } from "./cards/served-card.ts";
export { makeSigningKey, type SigningKey } from "./cards/signing-key.ts";
export * from "./client/index.ts";
export { withoutCarriage } from "./dialects/carried.ts";
export { type Cidr, contains as addressBlockHas, parseCidrList } from "./egress/cidr.ts";
export { EgressError } from "./egress/egress-errors.ts";
export { type EgressPolicy, type Lookup, streamLimits } from "./egress/egress-policy.ts";
export { checkTarget } from "./egress/egress-target.ts";
export { guardedFetch } from "./egress/guarded-fetch.ts";
export { parseAddress } from "./egress/ip-address.ts";
export * from "./extension/approval-answer.ts";
export * from "./extension/approval-request.ts";
export * from "./extension/budget.ts";
export * from "./extension/delegation-chain.ts";
export * from "./extension/extension-member.ts";
export * from "./extension/plan-decision.ts";
export * from "./extension/plan-state.ts";
export * from "./extension/provenance.ts";
export * from "./extension/run-extension.ts";
export * from "./extension/session-snapshot.ts";
export * from "./extension/snapshot.ts";
export * from "./extension/tool-call.ts";
export * from "./extension/tool-result.ts";
export * from "./extension/usage.ts";
export * from "./extension/workspace.ts";
export * from "./protocol/errors.ts";
export { inWords, isText } from "./protocol/in-words.ts";
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
export { SecretLostError, SecretSeal } from "./push/secret-seal.ts";
export { signingSecret } from "./push/webhook-signature.ts";
export { FairQueue, type FairQueueOptions, type Share } from "./scheduling/fair-queue.ts";
export type { Caller, CallerIdentity } from "./tasks/caller.ts";
export type { ContextMemory } from "./tasks/context-memory.ts";
export type {
  ArtifactOptions,
  ArtifactWriter,
  Content,
  Ending,
  ExecutionContext,
  Executor,
} from "./tasks/executor.ts";
export { failForsakenTasks } from "./tasks/forsaken-tasks.ts";
export { TaskEngine, type TaskEngineOptions } from "./tasks/task-engine.ts";
export { TaskCanceledError } from "./tasks/task-execution.ts";
export { observedBy, type StartedTurn, silentObserver, type TaskObserver } from "./tasks/task-observer.ts";
export { TaskOperations } from "./tasks/task-operations.ts";
export { taskTables } from "./tasks/task-tables.ts";
export { TaskUpkeep, type UpkeepOptions } from "./tasks/task-upkeep.ts";
export { type Log, type LogFields, silentLog } from "./telemetry/log.ts";
export { logObserver } from "./telemetry/log-observer.ts";
export { metricClientObserver } from "./telemetry/metric-client-observer.ts";
export { metricObserver } from "./telemetry/metric-observer.ts";
export { metricPushObserver } from "./telemetry/metric-push-observer.ts";
export { tracedExecutor } from "./telemetry/traced-executor.ts";
export { noTracing, OpenSpan, Trace, type Tracing } from "./tracing/trace.ts";
