export * from "./api/api-client.ts";
export { ApiError } from "./api/api-error.ts";
export type { TransportOptions } from "./api/api-transport.ts";
export type * from "./api/api-types.ts";
export type * from "./api/domain-event.ts";
export { newId } from "./api/new-id.ts";
export type * from "./api/request-types.ts";
export {
  type BrowserClient,
  type BrowserClientOptions,
  startBrowserClient,
} from "./browser/browser-client.ts";
export { CacheFullError } from "./cache/cache-full-error.ts";
export type * from "./cache/cache-port.ts";
export { LastingCache, type LastingCacheOptions } from "./cache/lasting-cache.ts";
export { MemoryCache } from "./cache/memory-cache.ts";
export { EventFeed, type EventFeedOptions } from "./feed/event-feed.ts";
export type { Feed, FeedItem } from "./feed/feed-item.ts";
export type { Backoff } from "./ports/backoff.ts";
export { type Clock, systemClock } from "./ports/clock.ts";
export { alwaysOnline, browserConnectivity, type Connectivity } from "./ports/connectivity.ts";
export type { Command, CommandPhase, QueuedCommand, Refusal } from "./sync/command.ts";
export { evolveRecord, recordFold } from "./sync/evolve-record.ts";
export type { Company, QueueNews } from "./sync/queue-news.ts";
export { reduce } from "./sync/reduce.ts";
export {
  activeRun,
  artifactsOf,
  emptyRecord,
  type RecordedArtifact,
  type RecordedCall,
  type RunRecord,
  runOf,
  type SessionRecord,
  type StreamingText,
} from "./sync/session-record.ts";
export {
  type NextMessage,
  type ShownMessage,
  type ShownSession,
  shownList,
  shownSession,
} from "./sync/shown.ts";
export { SyncEngine, type SyncEngineOptions } from "./sync/sync-engine.ts";
export type { Effect, Failure, Step, SyncEvent } from "./sync/sync-event.ts";
export { INITIAL_STATE, type OpenSession, type SessionList, type SyncState } from "./sync/sync-state.ts";
export { everyTabLeads, type Leadership, webLock } from "./tabs/leadership.ts";
export { Tabs, type TabsOptions } from "./tabs/tabs.ts";
export { type ArtifactFile, type FileSource, fileContent, filesOf } from "./view/artifact-file.ts";
export { type CallState, type CallWords, callDuration, callState, callWords } from "./view/call-words.ts";
export { durationText } from "./view/duration-text.ts";
export { phaseOf, type RunPhase, type Surroundings } from "./view/run-phase.ts";
export { safeName } from "./view/safe-name.ts";
export { sizeText } from "./view/size-text.ts";
export { isDelegation, type Lane, type Work, workOf } from "./view/work.ts";
