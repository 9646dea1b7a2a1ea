import {
  configurationIn,
  type EventOf,
  type SessionEvent,
  type SessionEventType,
  sessionConfiguration,
  sessionEvent,
} from "@parley/sessions";

type FieldsOf<Type extends SessionEventType> = readonly Exclude<keyof EventOf<Type>, "type">[];

const run = ["runId", "agent", "agentUrl"] as const;
const request = ["runId", "approvalId", "question"] as const;
const call = ["runId", "callId", "agent", "parentCallId", "taskId"] as const;

/** The events and fields of an export; an import with any other is refused. */
const IMPORTABLE: { readonly [Type in SessionEventType]: FieldsOf<Type> } = {
  session_created: ["workspace", "owner", "title", "agent", "config", "parent", "contextId"],
  session_renamed: ["title", "by"],
  agent_switched: ["agent"],
  config_changed: ["config"],
  // Not `waiting`, which would start a run.
  user_message: ["messageId", "content", "files", "runId", "editHistory"],
  agent_message: ["messageId", "content", "runId", "agent"],
  agent_start: [...run, "contextId", "inputSnapshotHash", "messageId", "retryOf", "thinking", "traceparent"],
  agent_status: ["runId", "state", "text", "agent"],
  agent_token_start: ["runId", "artifactId", "name", "agent", "parentCallId", "channel", "restart"],
  agent_token: ["runId", "artifactId", "text"],
  agent_token_end: ["runId", "artifactId"],
  agent_tool_call: [...call, "tool", "arguments"],
  agent_tool_result: [...call, "outcome", "result", "text", "durationMs"],
  agent_plan: ["runId", "steps"],
  agent_artifact: ["runId", "artifactId", "name", "parts", "agent", "parentCallId"],
  approval_requested: [...request, "agent", "parentCallId", "tool", "arguments", "argumentsHash"],
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

/** The settings that an import may have. */
const importableSettings = sessionConfiguration.pick({ thinking: true, budget: true }).strip();

/** The event without fields and settings that cannot be imported. */
export function exportable(event: SessionEvent): SessionEvent {
  const fields = Object.entries(event).filter(([name]) => name === "type" || isField(event.type, name));
  const history = Object.fromEntries(fields) as SessionEvent;
  if (!("config" in history) || !history.config) return history;
  return { ...history, config: importableSettings.parse(configurationIn(history.config)) };
}

/** The validated event, or the name of the first member that cannot be imported. */
export function importableEvent(
  type: string,
  payload: Readonly<Record<string, unknown>>,
): SessionEvent | string {
  if (!isEventType(type)) return type;
  const field = Object.keys(payload).find((name) => !isField(type, name));
  if (field !== undefined) return `${type}.${field}`;
  const { data, error } = sessionEvent.safeParse({ ...payload, type });
  if (!data) return [type, ...(error.issues[0]?.path ?? [])].join(".");
  const settings = "config" in data ? importableSettings.safeParse(data.config ?? {}) : undefined;
  const issue = settings?.error?.issues[0]?.path;
  if (issue) return [type, "config", ...issue].join(".");
  const kept = settings ? { ...data, config: settings.data } : data;
  const stripped = strippedMember(payload, kept);
  return stripped === undefined ? data : `${type}.${stripped}`;
}

/** The path of the first member that a schema removed. */
function strippedMember(given: unknown, kept: unknown): string | undefined {
  if (given === kept || typeof given !== "object" || given === null) return undefined;
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(Object(kept), name)) return name;
    const below = strippedMember(value, (kept as Record<string, unknown>)[name]);
    if (below !== undefined) return `${name}.${below}`;
  }
  return undefined;
}

function isEventType(type: string): type is SessionEventType {
  return Object.hasOwn(IMPORTABLE, type);
}

function isField(type: SessionEventType, name: string): boolean {
  return (IMPORTABLE[type] as readonly string[]).includes(name);
}
