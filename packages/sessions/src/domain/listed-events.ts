import type { SessionEventType } from "./session-event.ts";

/** Events that a session's list shows something of: whoever keeps a list is told of these, and its revision moves. */
export const LISTED: ReadonlySet<SessionEventType> = new Set([
  "session_created",
  "session_renamed",
  "agent_switched",
  "config_changed",
  "user_message",
  "agent_message",
  "agent_start",
  "approval_requested",
  "approval_answered",
  "agent_complete",
  "agent_cancelled",
  "session_forked",
  "session_archived",
  "session_restored",
  "session_deleted",
]);
