import { A2AError } from "../protocol/errors.ts";
import type { TaskRow } from "./task-table.ts";

type Place = Pick<TaskRow, "changed" | "id">;

/** Where a page ended, as text that means nothing to the caller. */
export function encodePageToken({ changed, id }: Place): string {
  return Buffer.from(JSON.stringify([changed, id])).toString("base64url");
}

/** Throws InvalidParams for what is no token of ours. */
export function decodePageToken(token: string): Place {
  try {
    const [changed, id]: unknown[] = JSON.parse(Buffer.from(token, "base64url").toString());
    if (typeof changed === "number" && Number.isSafeInteger(changed) && typeof id === "string" && isKey(id))
      return { changed, id };
  } catch {
    // Falls through to the one answer for every bad token.
  }
  throw new A2AError("InvalidParams", "pageToken is not one that this agent gave out", {
    field: "pageToken",
  });
}

// A token that somebody made up may hold texts that no storage takes as a key.
function isKey(id: string): boolean {
  return /^[^\p{Cc}\p{Cs}]*$/u.test(id);
}
