import { CommandRefusedError, historyHashes, type SessionState, type Sessions } from "@parley/sessions";
import { openSession } from "../../../api/session-reading.ts";
import { questionIn, runOf } from "./asked-again.ts";
import type { Request } from "./asking.ts";
import { type MatchedHistory, matchedHistory } from "./matched-history.ts";
import type { Said } from "./said.ts";

/** A session that begins as a client's conversation does. */
export interface FoundConversation {
  readonly state: SessionState;
  readonly match: MatchedHistory;
}

/** Finds the session that a client's conversation is, by what was said. */
export class ConversationFinder {
  readonly #sessions: Sessions;

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  /** The session with the most of it; of several, the one that ends there or has an answer under way, or the latest. */
  async find(
    { principal }: Pick<Request, "principal">,
    told: readonly Said[],
  ): Promise<FoundConversation | undefined> {
    const known = await this.#sessions.ofHistory(principal, historyHashes(told));
    const found = await Promise.all(
      known.map(async ({ sessionId }) => {
        const state = await this.#sessions.state(principal, sessionId);
        return { state, match: matchedHistory(state, told) };
      }),
    );
    const most = Math.max(0, ...found.map(({ match }) => match.said));
    const best = found.filter(({ match }) => match.said === most && most > 0);
    return best.find((each) => goesOn(each, told.length)) ?? best[0];
  }

  /** The session in which the last message of the user's here led to a run that asked so many questions. */
  async findQuestion({ principal }: Pick<Request, "principal">, told: readonly Said[], question: number) {
    const upTo = told.findLastIndex(({ role }) => role === "user") + 1;
    const known = await this.#sessions.ofHistory(principal, historyHashes(told.slice(0, upTo)));
    for (const { sessionId } of known) {
      const state = await this.#sessions.state(principal, sessionId);
      const asked = questionIn(state, told, question);
      if (asked) return { state, asked };
    }
    return undefined;
  }

  /** The session by its id, where it is the principal's; one that was deleted is told of. */
  async own({ principal }: Pick<Request, "principal">, id: string): Promise<SessionState | undefined> {
    try {
      return await openSession(this.#sessions, principal, id);
    } catch (error) {
      if (error instanceof CommandRefusedError && error.code === "not_found") return undefined;
      throw error;
    }
  }
}

function goesOn({ state, match }: FoundConversation, all: number): boolean {
  const message = state.messages[match.place - 1];
  // Asked once more: where it was answered itself, not where the answer was copied to.
  if (match.said === all) return message !== undefined && runOf(state, message) !== undefined;
  return match.place === state.messages.length;
}
