import { historyHashes, type Principal, type SessionState, type Sessions } from "@parley/sessions";
import { isInFamily } from "../../conversations/session-family.ts";
import { openSession } from "../../conversations/session-reading.ts";
import { unless } from "../../problem.ts";
import type { TranscriptMessage } from "./chat-command.ts";
import { type ChatMatch, matchChat, matchTrimmedHistory } from "./history-match.ts";
import { endsWithQuestion } from "./question-text.ts";
import { questionIn, runOf } from "./run-questions.ts";

/** A session that begins as a client's conversation does. */
export interface FoundConversation {
  readonly state: SessionState;
  readonly match: ChatMatch;
}

/** Finds the session of a client's history, by content. */
export class ConversationFinder {
  readonly #sessions: Sessions;

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  /**
   * The sessions with the most of it, those first that end there or have answered it themselves, then the latest. Where
   * the client names a session, it goes on there if it can, and else only that one and its forks count.
   */
  async find(
    principal: Principal,
    told: readonly TranscriptMessage[],
    named?: SessionState,
  ): Promise<readonly FoundConversation[]> {
    const all = told.length;
    const own = named && { state: named, match: matchChat(named, told) };
    if (own && goesOn(own, all - 1) && !own.match.isShortened) return [own];
    const known = await this.#known(principal, told, named);
    const found = own && !known.some(({ state }) => state.id === own.state.id) ? [...known, own] : known;
    const most = Math.max(0, ...found.map(({ match }) => match.said));
    if (named && most < all - 1) {
      const match = matchTrimmedHistory(named, told);
      if (match) return [{ state: named, match }];
    }
    const best = found.filter(({ match }) => match.said === most && (most > 0 || named));
    const isClear = best.some(({ match }) => !match.isShortened);
    // Of all that begin so, the one that went on last is the one whose answer was cut short just now.
    const latest = isClear ? undefined : found.find((each) => isWhole(each, all) || goesOn(each, all - 1));
    if (latest && !isWhole(latest, all)) return [latest];
    return best.toSorted((left, right) => rank(right, all) - rank(left, all));
  }

  /**
   * The session in which the last message of the user's here led to a run that asked so many questions, the last of
   * which was shown in these words. Where several asked the same, it is one that waits for its answer.
   */
  async findQuestion(
    principal: Principal,
    { told, question, shown }: { told: readonly TranscriptMessage[]; question: number; shown: string },
    named?: SessionState,
  ) {
    const upTo = told.slice(0, told.findLastIndex(({ role }) => role === "user") + 1);
    const others = (await this.#known(principal, upTo, named)).map(({ state }) => state);
    const found = [...(named ? [named] : []), ...others].flatMap((state) => {
      const asked = questionIn(state, told, question);
      return asked && endsWithQuestion(shown, asked.request) ? [{ state, asked }] : [];
    });
    return found.find(({ asked }) => !asked.answer) ?? found[0];
  }

  /** The principal's session by its id; throws `gone` where it was deleted. */
  own(principal: Principal, id: string): Promise<SessionState | undefined> {
    return unless("not_found", openSession(this.#sessions, principal, id));
  }

  async #known(
    principal: Principal,
    told: readonly TranscriptMessage[],
    named: SessionState | undefined,
  ): Promise<readonly FoundConversation[]> {
    const known = await this.#sessions.ofHistory(principal, historyHashes(told));
    const found = await Promise.all(
      known.map(async ({ sessionId }) => {
        const state = await this.#sessions.state(principal, sessionId);
        const isMeant = !named || (await isInFamily(this.#sessions, principal, state, named.id));
        if (!isMeant) return [];
        return [{ state, match: matchChat(state, told) }];
      }),
    );
    return found.flat();
  }
}

/** Whether the session ends where the client's conversation up to so many messages does. */
export function goesOn({ state, match }: FoundConversation, messages: number): boolean {
  return match.said === messages && match.place === state.messages.length;
}

function isWhole({ match }: FoundConversation, messages: number): boolean {
  return match.said === messages;
}

function rank(found: FoundConversation, told: number): number {
  const { state, match } = found;
  const message = state.messages[match.place - 1];
  // Asked once more: where it was answered itself, not where the answer was copied to.
  if (match.said === told) return message && runOf(state, message) ? 1 : 0;
  return goesOn(found, match.said) ? 1 : 0;
}
