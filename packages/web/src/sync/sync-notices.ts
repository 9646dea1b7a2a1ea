import type { SyncState } from "@parley/client";
import type { Strings } from "../app/strings/en.ts";

/** A warning about the user's data; `id` is stable while it applies. */
export interface SyncNotice {
  readonly id: string;
  readonly text: string;
  /** Where something can be done about it. */
  readonly href?: string;
}

type Known = Pick<SyncState, "keeping" | "isReset" | "lastError" | "queue">;

/** The warnings that apply to this state. */
export function syncNotices(
  { keeping, isReset, lastError, queue }: Known,
  strings: Strings["sync"],
): readonly SyncNotice[] {
  const notices: SyncNotice[] = [];
  if (isReset) notices.push({ id: "reset", text: strings.reset });
  if (keeping.name === "memory" && keeping.reason !== "chosen")
    notices.push({ id: keeping.reason, text: strings[keeping.reason] });
  if (lastError?.code === "keeping")
    notices.push({ id: "keepingFailed", text: strings.keepingFailed(lastError.message) });
  for (const { key, phase, command } of queue)
    if (command.type === "send" && phase.name === "refused" && [404, 410].includes(phase.refusal.status))
      notices.push({
        id: key,
        href: `/${command.sessionId}`,
        text: strings.undelivered(command.content.slice(0, 80)),
      });
  return notices;
}
