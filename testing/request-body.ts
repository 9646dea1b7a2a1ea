import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

/** The body of a request to a test's own server; undefined where the client broke off, which fails no test. */
export async function requestBody(request: IncomingMessage): Promise<string | undefined> {
  try {
    return await text(request);
  } catch {
    return undefined;
  }
}
