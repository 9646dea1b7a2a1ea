import type { ToldMessage } from "./session-command.ts";
import type { SessionEvent } from "./session-event.ts";

/** Messages that were said elsewhere, as events of the session that goes on from them. */
export function toldMessages(sessionId: string, messages: readonly ToldMessage[]): readonly SessionEvent[] {
  return messages.map(({ id, role, content, files }, place): SessionEvent => {
    const messageId = id ?? `${sessionId}-told-${place}`;
    // Who said it, nobody here knows.
    if (role === "assistant")
      return { type: "agent_message", messageId, content, runId: `${sessionId}-told` };
    return { type: "user_message", messageId, content, ...(files && { files: [...files] }) };
  });
}
