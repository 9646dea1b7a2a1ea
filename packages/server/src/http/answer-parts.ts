import { createHash } from "node:crypto";
import type { RequestListener } from "node:http";

/** An error as every port sends it. */
export interface ErrorAnswer {
  readonly status: 400 | 401 | 403 | 404 | 408 | 415 | 417 | 431 | 500 | 503;
  /** Stable, for programs. */
  readonly code: string;
  /** For people: what is wrong and what to do. */
  readonly message: string;
}

/** What is sent of it besides the status. */
export function errorBody({ code, message }: Omit<ErrorAnswer, "status">): {
  error: { code: string; message: string };
} {
  return { error: { code, message } };
}

/** The ETag of what is sent. */
export function etagOf(content: Uint8Array): string {
  return `"${createHash("sha256").update(content).digest("hex").slice(0, 20)}"`;
}

/** What an agent's port answers where there is neither the agent nor anything else. */
export const nothingHere: RequestListener = (request, response) => {
  // Without its query, which may hold a key.
  const [path] = (request.url ?? "").split("?");
  const message = `There is nothing at ${request.method} ${path}; the card is at /.well-known/agent-card.json`;
  response.writeHead(404, { "Content-Type": "application/json" });
  response.end(JSON.stringify(errorBody({ code: "not_found", message })));
};

/** Headers for every answer: nothing is framed, sniffed, cached or loaded that we did not write ourselves. */
export const SECURITY_HEADERS = {
  "Content-Security-Policy": "default-src 'none'; style-src 'self'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
} as const;
