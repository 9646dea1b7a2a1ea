import type { EgressLimits } from "../egress/egress-policy.ts";
import { streamLimits } from "../egress/egress-policy.ts";
import type { ClientLimits } from "./client-limits.ts";

/** The URL of a path below an endpoint, with these parameters added to its own. */
export function endpointUrl(base: string, path: string, query: Readonly<Record<string, string>> = {}): URL {
  const url = new URL(base);
  if (path !== "") url.pathname = url.pathname.replace(/\/$/, "") + path;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

/** The limits of a call with one answer. */
export function answerLimits({ answer, answerBytes }: ClientLimits): Partial<EgressLimits> {
  return { headers: answer, idle: answer, total: answer, responseBytes: answerBytes };
}

/** The limits of a stream: it may go on for ever, but never be silent for long. */
export function streamLimitsOf({ idle }: ClientLimits): Partial<EgressLimits> {
  return { ...streamLimits, headers: idle, idle };
}
