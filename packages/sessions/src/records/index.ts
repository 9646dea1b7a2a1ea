export type { Addition, Admit } from "./addition.ts";
export type { AgentStatistics, EndedWork } from "./agent-statistics.ts";
export type { ApprovalQuery, ApprovalRow } from "./approval-table.ts";
export { CursorResetError } from "./cursor-reset-error.ts";
export type { KnownHistory } from "./history-table.ts";
export {
  contextIn,
  essence,
  type HistoryMessage,
  historyHashes,
  withContext,
} from "./message-history.ts";
export type { Principal } from "./principal.ts";
export { intentHash, type RequestKey } from "./request-key.ts";
export { KeyReusedError } from "./request-keys.ts";
export type { OpenRun, RunQuery, RunRow } from "./run-table.ts";
export type { SearchHit } from "./search-table.ts";
export type { IndexedChange, SessionChanges } from "./session-changes.ts";
export type { SessionList, SessionListQuery } from "./session-lists.ts";
export type { SessionRow } from "./session-row.ts";
export { sessionTables } from "./session-tables.ts";
export {
  CHANGES_KEPT_DAYS,
  PACKED_AFTER_DAYS,
  type Retention,
  restorableUntil,
  UNDO_DAYS,
  type Upkeep,
} from "./upkeep.ts";
