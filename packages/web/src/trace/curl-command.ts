import { isDelegation, type RecordedCall } from "@parley/client";

/** Where and how an agent is spoken to. */
export interface AgentAddress {
  readonly url: string;
  readonly binding?: string;
  readonly dialect?: string;
}

/**
 * A command for a shell that asks an agent by A2A for what a call was about. It holds nothing but what is shown of the
 * call: no credentials, not even those that an address came with.
 */
export function curlCommand(call: RecordedCall, address: AgentAddress): string {
  const { dialect = "1.0", binding = "JSONRPC" } = address;
  const isRest = binding === "HTTP+JSON";
  const params = paramsOf(textOf(call), dialect);
  const method =
    { "1.0": "SendMessage", "0.3": "message/send", "0.1": "tasks/send" }[dialect] ?? "SendMessage";
  const body = isRest ? params : { jsonrpc: "2.0", id: 1, method, params };
  const url = withoutCredentials(address.url);
  const restPath = dialect === "1.0" ? "/message:send" : "/v1/message:send";
  return [
    `curl -sS -X POST ${quoted(isRest ? url.replace(/\/$/, "") + restPath : url)}`,
    `-H ${quoted(isRest ? "Content-Type: application/a2a+json" : "Content-Type: application/json")}`,
    ...(dialect === "1.0" ? [`-H ${quoted("A2A-Version: 1.0")}`] : []),
    `--data-raw ${quoted(JSON.stringify(body))}`,
  ].join(" \\\n  ");
}

function textOf(call: RecordedCall): string {
  const given = call.arguments as { readonly request?: unknown } | undefined;
  if (isDelegation(call) && typeof given?.request === "string") return given.request;
  return `Use the tool ${call.name} with these arguments: ${JSON.stringify(call.arguments ?? {})}`;
}

function paramsOf(text: string, dialect: string): object {
  const messageId = crypto.randomUUID();
  switch (dialect) {
    case "0.3":
      return { message: { kind: "message", messageId, role: "user", parts: [{ kind: "text", text }] } };
    case "0.1":
      return { id: messageId, message: { role: "user", parts: [{ type: "text", text }] } };
    default:
      return { message: { messageId, role: "ROLE_USER", parts: [{ text }] } };
  }
}

function withoutCredentials(address: string): string {
  const url = URL.parse(address);
  if (!url) return address;
  url.username = "";
  url.password = "";
  url.search = "";
  return url.href;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
