import {
  type EventOf,
  type SessionEvent,
  type SessionEventType,
  sessionConfiguration,
  sessionEvent,
} from "@parley/sessions";

type FieldsOf<Type extends SessionEventType> = readonly Exclude<keyof EventOf<Type>, "type">[];

const call = ["runId", "callId", "agent", "parentCallId", "taskId"] as const;

/** The events and fields that are history: an export has these and no others, and an import is refused with any other. */
const IMPORTABLE: { readonly [Type in SessionEventType]: FieldsOf<Type> } = {
  session_created: ["workspace", "owner", "title", "agent", "config", "parent", "contextId"],
  session_renamed: ["title", "by"],
  agent_switched: ["agent"],
  config_changed: ["config"],
  // Not `waiting`: it begins a run.
  user_message: ["messageId", "content", "files", "runId", "editHistory"],
  agent_message: ["messageId", "content", "files", "runId", "agent"],
  agent_start: [
    ...(["runId", "agent", "agentUrl", "contextId", "inputSnapshotHash", "messageId"] as const),
    ...(["retryOf", "thinking", "traceparent"] as const),
  ],
  agent_status: ["runId", "state", "text", "agent"],
  agent_token_start: ["runId", "artifactId", "name", "agent", "parentCallId", "channel", "restart"],
  agent_token: ["runId", "artifactId", "text"],
  agent_token_end: ["runId", "artifactId"],
  agent_tool_call: [...call, "tool", "arguments"],
  agent_tool_result: [...call, "outcome", "result", "text", "durationMs"],
  agent_plan: ["runId", "steps"],
  agent_artifact: ["runId", "artifactId", "name", "parts", "agent", "parentCallId"],
  approval_requested: [
    ...(["runId", "approvalId", "question", "agent", "parentCallId"] as const),
    ...(["tool", "arguments", "argumentsHash"] as const),
  ],
  approval_answered: ["runId", "approvalId", "decision", "text", "arguments", "always"],
  agent_complete: ["runId", "state", "messageId", "content", "agent", "reason", "usage"],
  agent_cancelled: ["runId", "messageId", "content", "reason"],
  edit: ["messageId", "content", "childId"],
  fork: ["parentId", "messages"],
  session_forked: ["childId", "reason", "messages"],
  session_archived: [],
  session_restored: [],
  session_deleted: ["until"],
};

/** The settings of ours that a session may bring along: permissions are given anew. */
const IMPORTABLE_SETTINGS: readonly string[] = ["thinking", "fallbacks", "budget"];

/** The event without what an import would be refused for. */
export function exportable(event: SessionEvent): SessionEvent {
  const fields = Object.entries(event).filter(([name]) => name === "type" || isField(event.type, name));
  const history = Object.fromEntries(fields) as SessionEvent;
  if (!("config" in history) || !history.config) return history;
  const settings = Object.entries(history.config).filter(([name]) => isSetting(name));
  return { ...history, config: Object.fromEntries(settings) };
}

/** The event that an import brings; otherwise the name of what cannot be imported. */
export function importableEvent(
  type: string,
  payload: Readonly<Record<string, unknown>>,
): SessionEvent | string {
  if (!isEventType(type)) return type;
  const field = Object.keys(payload).find((name) => !isField(type, name));
  if (field !== undefined) return `${type}.${field}`;
  const { config } = payload;
  const settings = typeof config === "object" && config !== null ? Object.keys(config) : [];
  const setting = settings.find((name) => !isSetting(name));
  if (setting !== undefined) return `${type}.config.${setting}`;
  const { data, error } = sessionEvent.safeParse({ ...payload, type });
  return data ?? [type, ...(error?.issues[0]?.path ?? [])].join(".");
}

function isEventType(type: string): type is SessionEventType {
  return Object.hasOwn(IMPORTABLE, type);
}

function isField(type: SessionEventType, name: string): boolean {
  return (IMPORTABLE[type] as readonly string[]).includes(name);
}

// What is no setting of ours is a client's own.
function isSetting(name: string): boolean {
  return IMPORTABLE_SETTINGS.includes(name) || !Object.hasOwn(sessionConfiguration.shape, name);
}
