import type { Operation } from "../dialects/dialect.ts";
import { type EgressLimits, streamLimits } from "../egress/egress-policy.ts";
import type { ClientLimits } from "./client-limits.ts";

/** The URL of a path below an endpoint, with these parameters added to its own. */
export function endpointUrl(base: string, path: string, query: Readonly<Record<string, string>> = {}): URL {
  const url = new URL(base);
  if (path !== "") url.pathname = url.pathname.replace(/\/$/, "") + path;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

/** The origin of an endpoint, or the host and port of one that is written without a scheme, as for gRPC. */
export function endpointOrigin(url: string): string {
  return /^https?:/i.test(url) ? new URL(url).origin : url;
}

/** The limits of an operation: a stream may go on for ever, but never be silent for long. */
export function limitsOf(
  operation: Operation,
  { answer, read, answerBytes, idle }: ClientLimits,
): Partial<EgressLimits> {
  if (isStream(operation)) return { ...streamLimits, headers: idle, idle };
  const total = operation === "send" ? answer : read;
  return { headers: total, idle: total, total, responseBytes: answerBytes };
}

export function isStream(operation: Operation): boolean {
  return operation === "stream" || operation === "subscribe";
}
