import type { IncomingMessage } from "node:http";

/** Whose call it is, as a test says it. */
export function ownerByHeader({ headers }: IncomingMessage): string {
  return String(headers["x-owner"]);
}
