import { z } from "zod";

const PREFIX = "approval.";
const text = z.tuple([z.string(), z.string()]);

/** The id of the request that asks a client's user: whichever node its answer comes to knows what it is the answer to. */
export function approvalRequestId(sessionId: string, approvalId: string): string {
  return `${PREFIX}${Buffer.from(JSON.stringify([sessionId, approvalId])).toString("base64url")}`;
}

/** What such an id is about; undefined: it is no such id. Whose session it is decides who answers. */
export function approvalOf(id: unknown): { sessionId: string; approvalId: string } | undefined {
  if (typeof id !== "string" || !id.startsWith(PREFIX)) return undefined;
  try {
    const read = JSON.parse(Buffer.from(id.slice(PREFIX.length), "base64url").toString());
    const [sessionId, approvalId] = text.parse(read);
    return { sessionId, approvalId };
  } catch {
    return undefined;
  }
}
