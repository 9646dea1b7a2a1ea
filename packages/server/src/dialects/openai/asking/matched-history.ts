import { activeRun, essence, type HistoryMessage, type SessionState } from "@parley/sessions";

/** How far a conversation that a client tells is the session's. */
export interface MatchedHistory {
  /** So many of the client's messages. */
  readonly said: number;
  /** So many of the session's. */
  readonly place: number;
}

/** Compares from the beginning on; an answer that the client has only the beginning of, because it was cut off, is the same one. */
export function matchedHistory(state: SessionState, told: readonly HistoryMessage[]): MatchedHistory {
  const { messages } = state;
  let place = 0;
  for (const [said, message] of told.entries()) {
    while (messages[place] && isSilent(messages[place])) place++;
    const known = messages[place];
    const words = essence(message);
    if (!known) {
      const isUnfinished = message.role === "assistant" && saidSoFar(state).startsWith(words);
      return { said: said + (isUnfinished ? 1 : 0), place };
    }
    const isSame =
      known.role === message.role &&
      (message.role === "user" ? essence(known) === words : essence(known).startsWith(words));
    if (!isSame) return { said, place };
    place++;
  }
  return { said: told.length, place };
}

function isSilent(message: HistoryMessage | undefined): boolean {
  return message?.role === "assistant" && essence(message) === "";
}

/** What the run under way has answered until now. */
function saidSoFar(state: SessionState): string {
  const texts = [...(activeRun(state)?.texts.values() ?? [])].filter(({ channel }) => channel === "answer");
  return essence({ role: "assistant", content: texts.map(({ text }) => text).join("") });
}
