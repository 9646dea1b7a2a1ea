export * from "./api/api-client.ts";
export { ApiError } from "./api/api-error.ts";
export type * from "./api/api-types.ts";
export type * from "./api/domain-event.ts";
export { newId } from "./api/new-id.ts";
export type * from "./api/request-types.ts";
export { startBrowserClient } from "./browser/browser-client.ts";
export type * from "./cache/cache-port.ts";
export { LastingCache } from "./cache/lasting-cache.ts";
export { MemoryCache } from "./cache/memory-cache.ts";
export { WriteAheadLog } from "./cache/write-ahead-log.ts";
export { EventFeed } from "./feed/event-feed.ts";
export type { Feed, FeedItem } from "./feed/feed-item.ts";
export { type Clock, systemClock } from "./ports/clock.ts";
export { browserConnectivity, type Connectivity } from "./ports/connectivity.ts";
export type { QueuedCommand } from "./sync/command.ts";
export { evolveRecord, recordFold } from "./sync/evolve-record.ts";
export {
  activeRunIn,
  artifactsOf,
  emptyRecord,
  type RecordedCall,
  type RunRecord,
  runOf,
  type SessionRecord,
} from "./sync/session-record.ts";
export {
  type NextMessage,
  type ShownMessage,
  type ShownSession,
  shownList,
  shownSession,
} from "./sync/shown.ts";
export { SyncEngine } from "./sync/sync-engine.ts";
export { INITIAL_STATE, type SyncState } from "./sync/sync-state.ts";
export { type ArtifactFile, fileContent, filesOf, safeName, sizeText } from "./view/artifact-file.ts";
export { callDuration, callState, callWords, durationText, targetOf, toolName } from "./view/call-words.ts";
export { phaseOf, type RunPhase, type Surroundings } from "./view/run-phase.ts";
export { isDelegation, type Lane, type RunWork as Work, workOf } from "./view/work.ts";
