import type { IncomingMessage } from "node:http";

/** The caller of a test request. */
export function ownerByHeader({ headers }: IncomingMessage): string {
  return String(headers["x-owner"]);
}
