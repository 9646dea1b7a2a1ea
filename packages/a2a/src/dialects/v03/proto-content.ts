import { isObject } from "../../protocol/model.ts";
import { legacyRoleOf } from "./proto-enums.ts";

export type Members = Readonly<Record<string, unknown>>;

/** A message of ProtoJSON as the JSON of v0.3 has it; one that is in that form already stays as it is. */
export function legacyMessageOf(message: unknown): unknown {
  if (!isObject(message) || "parts" in message) return message;
  const { content, message_id, context_id, task_id, ...rest } = message;
  const names = { messageId: message_id, contextId: context_id, taskId: task_id };
  return { ...names, ...rest, role: legacyRoleOf(rest.role), parts: mapped(content, legacyPartOf) };
}

/** A part of ProtoJSON as the JSON of v0.3 has it. */
export function legacyPartOf(part: unknown): unknown {
  if (!isObject(part) || "kind" in part) return part;
  const { file, data, ...others } = part;
  if (isObject(file)) {
    const { fileWithUri: uri, file_with_uri, fileWithBytes: bytes, file_with_bytes, ...rest } = file;
    const { mimeType, mime_type = mimeType, name } = rest;
    const content = { uri: uri ?? file_with_uri, bytes: bytes ?? file_with_bytes };
    return { ...others, file: { ...content, mimeType: mime_type, name } };
  }
  return isObject(data) ? { ...others, data: data.data ?? {} } : part;
}

/** What a resource's name says, like `tasks/t/pushNotificationConfigs/c`. */
export function namedIn(name: unknown): { readonly id?: string; readonly pushNotificationConfigId?: string } {
  const text = typeof name === "string" ? name : "";
  const [, id, config] = /^tasks\/([^/]+)(?:\/pushNotificationConfigs(?:\/([^/]*))?)?$/.exec(text) ?? [];
  return { ...(id && { id }), ...(config && { pushNotificationConfigId: config }) };
}

/** Each item in another form; what is no list stays as it is, to be refused. */
export function mapped(value: unknown, each: (item: unknown) => unknown): unknown {
  return Array.isArray(value) ? value.map(each) : value;
}
