import type { SyncState } from "@parley/client";
import type { Strings } from "../app/strings/en.ts";

/** Something about the data itself that the user should know; `id` stays while it is so. */
export interface SyncNotice {
  readonly id: string;
  readonly text: string;
}

/** What is to be said about what is kept here and what the server has. */
export function syncNotices(
  { keeping, isReset, lastError }: Pick<SyncState, "keeping" | "isReset" | "lastError">,
  strings: Strings["sync"],
): readonly SyncNotice[] {
  const notices: SyncNotice[] = [];
  if (isReset) notices.push({ id: "reset", text: strings.reset });
  if (keeping.name === "memory" && keeping.reason !== "chosen")
    notices.push({ id: keeping.reason, text: strings[keeping.reason] });
  if (lastError?.code === "keeping")
    notices.push({ id: "keepingFailed", text: strings.keepingFailed(lastError.message) });
  return notices;
}
