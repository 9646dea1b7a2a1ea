export type { Addition, Admit } from "./addition.ts";
export { CursorResetError } from "./cursor-reset-error.ts";
export { intentHash, KeyReusedError } from "./idempotency-keys.ts";
export {
  contextIn,
  essence,
  type HistoryMessage,
  historyHashes,
  withContext,
} from "./message-history.ts";
export type { AgentStatistics } from "./tables/agent-statistics.ts";
export type { ApprovalRow } from "./tables/approval-table.ts";
export type { RunRow } from "./tables/run-table.ts";
export type { SessionRow } from "./tables/session-row.ts";
export { sessionTables } from "./tables/session-tables.ts";
export { PACKED_AFTER_DAYS, type Retention } from "./upkeep.ts";
