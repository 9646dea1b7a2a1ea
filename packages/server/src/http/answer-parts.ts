import { createHash } from "node:crypto";
import type { RequestListener } from "node:http";

/** An error response of a port. */
export interface ErrorAnswer {
  readonly status: 400 | 401 | 403 | 404 | 408 | 415 | 417 | 431 | 500 | 503;
  readonly code: string;
  /** What is wrong, and what to do. */
  readonly message: string;
}

export function errorBody({ code, message }: Omit<ErrorAnswer, "status">): {
  error: { code: string; message: string };
} {
  return { error: { code, message } };
}

/** The ETag of a response body. */
export function etagOf(content: Uint8Array): string {
  return `"${createHash("sha256").update(content).digest("hex").slice(0, 20)}"`;
}

/** The 404 response of an agent's port. */
export const nothingHere: RequestListener = (request, response) => {
  // Without the query, which may contain a key.
  const [path] = (request.url ?? "").split("?");
  const message = `Not found: ${request.method} ${path}; the agent card is at /.well-known/agent-card.json`;
  response.writeHead(404, { "Content-Type": "application/json" });
  response.end(JSON.stringify(errorBody({ code: "not_found", message })));
};

/** Headers of every response: no framing, sniffing, caching or foreign content. */
export const SECURITY_HEADERS = {
  "Content-Security-Policy": "default-src 'none'; style-src 'self'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
} as const;
