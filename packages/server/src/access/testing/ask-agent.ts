import { randomUUID } from "node:crypto";
import type { ServedCall } from "@parley/a2a";
import type { Answered, GuardedPlatform } from "./guarded-platform.ts";
import { type Names, said } from "./matrix-people.ts";

/** What we call what paths name. */
const NAMES = { id: "taskId", taskId: "taskId", pushNotificationConfigId: "configId", tenant: "tenant" };

/** Asks in this way for what the names name. */
export function askAgent(
  platform: GuardedPlatform,
  { binding, dialect, operation, method, path }: ServedCall,
  key: string | undefined,
  names: Names,
): Promise<Answered> {
  const { taskId = "", configId = "" } = names;
  const headers = dialect === "0.1" ? {} : { "A2A-Version": dialect };
  const params = paramsOf(operation, dialect, { taskId, configId });
  if (binding === "JSONRPC")
    return platform.ask("POST", path, { key, headers, body: { jsonrpc: "2.0", id: 1, method, params } });
  const isConfig = path.endsWith("pushNotificationConfigs/{id}");
  const at = path.replace(/\{(\w+)\}/g, (_, name: keyof typeof NAMES) =>
    isConfig && name === "id" ? configId : (names[NAMES[name]] ?? "acme"),
  );
  return platform.ask(method, at, {
    key,
    headers,
    ...(method === "POST" && { body: restBody(operation, dialect, names) }),
  });
}

function paramsOf(operation: ServedCall["operation"], dialect: string, { taskId, configId }: Names) {
  const message =
    dialect === "1.0"
      ? { messageId: randomUUID(), role: "ROLE_USER", taskId, parts: [{ text: "Go on" }] }
      : { ...said("Go on"), taskId };
  const config = { id: configId, url: "https://example.com/hook" };
  switch (operation) {
    case "send":
    case "stream":
      return dialect === "0.1"
        ? { id: taskId, message: { role: "user", parts: [{ type: "text", text: "Go on" }] } }
        : { message };
    case "list":
      return {};
    case "extendedCard":
      return {};
    case "createPush":
      return dialect === "1.0"
        ? { taskId, ...config }
        : dialect === "0.3"
          ? { taskId, pushNotificationConfig: config }
          : { id: taskId, pushNotificationConfig: config };
    case "getPush":
    case "deletePush":
      return dialect === "1.0"
        ? { taskId, id: configId }
        : { id: taskId, pushNotificationConfigId: configId };
    case "listPush":
      return dialect === "1.0" ? { taskId } : { id: taskId };
    default:
      return { id: taskId };
  }
}

function restBody(operation: ServedCall["operation"], dialect: string, names: Names): unknown {
  if (dialect === "1.0") return paramsOf(operation, dialect, names);
  const config = { id: names.configId, url: "https://example.com/hook" };
  const message = {
    message_id: "m1",
    role: "ROLE_USER",
    task_id: names.taskId,
    content: [{ text: "Go on" }],
  };
  if (operation === "send" || operation === "stream") return { message };
  return operation === "createPush" ? { config: { push_notification_config: config } } : {};
}
