export type { Addition, Admit } from "./addition.ts";
export type { AgentStatistics } from "./agent-statistics.ts";
export type { ApprovalRow } from "./approval-table.ts";
export { CursorResetError } from "./cursor-reset-error.ts";
export {
  contextIn,
  essence,
  type HistoryMessage,
  historyHashes,
  withContext,
} from "./message-history.ts";
export type { Principal } from "./principal.ts";
export { intentHash } from "./request-key.ts";
export { KeyReusedError } from "./request-keys.ts";
export type { RunRow } from "./run-table.ts";
export type { SessionRow } from "./session-row.ts";
export { sessionTables } from "./session-tables.ts";
export { PACKED_AFTER_DAYS, type Retention } from "./upkeep.ts";
