import { historyHashes, type Principal, type SessionState, type Sessions } from "@parley/sessions";
import type { UploadedFile } from "../adapter-host.ts";
import { type ContentMatch, matchByContent, matchTrimmedHistory } from "./matching/match-by-content.ts";
import { isInFamily } from "./session-family.ts";
import { runTakenBy } from "./session-reading.ts";
import type { TranscriptMessage } from "./transcript.ts";

type Message = TranscriptMessage<UploadedFile>;

/** A session that begins as a client's conversation does. */
export interface FoundConversation {
  readonly state: SessionState;
  readonly match: ContentMatch;
}

/** Finds the sessions of a history whose messages have no ids, by their content. */
export class ConversationFinder {
  readonly #sessions: Sessions;
  readonly #principal: Principal;

  constructor(sessions: Sessions, principal: Principal) {
    this.#sessions = sessions;
    this.#principal = principal;
  }

  /**
   * The sessions with the most of it, those first that end there or have answered it themselves, then the latest. Where
   * the client names a session, it goes on there if it can, and else only that one and its forks count.
   */
  async find(history: readonly Message[], named?: SessionState): Promise<readonly FoundConversation[]> {
    const all = history.length;
    const own = named && { state: named, match: matchByContent(named, history) };
    if (own && endsAfter(own, all - 1) && !own.match.isShortened) return [own];
    const known = await this.candidates(history, named);
    const found = own && !known.some(({ state }) => state.id === own.state.id) ? [...known, own] : known;
    const most = Math.max(0, ...found.map(({ match }) => match.matched));
    if (named && most < all - 1) {
      const match = matchTrimmedHistory(named, history);
      if (match) return [{ state: named, match }];
    }
    const best = found.filter(({ match }) => match.matched === most && (most > 0 || named));
    const isClear = best.some(({ match }) => !match.isShortened);
    const isWhole = ({ match }: FoundConversation) => match.matched === all;
    // Of several with the same beginning, the latest is the one whose answer was cut short just now.
    const latest = isClear ? undefined : found.find((each) => isWhole(each) || endsAfter(each, all - 1));
    if (latest && !isWhole(latest)) return [latest];
    return best.toSorted((left, right) => rank(right, all) - rank(left, all));
  }

  /** All sessions that share a beginning with the history; with `named`, those of its family. */
  async candidates(
    history: readonly Message[],
    named: SessionState | undefined,
  ): Promise<readonly FoundConversation[]> {
    const known = await this.#sessions.ofHistory(this.#principal, historyHashes(history));
    const found = await Promise.all(
      known.map(async ({ sessionId }) => {
        const state = await this.#sessions.state(this.#principal, sessionId);
        const isMeant = !named || (await isInFamily(this.#sessions, this.#principal, state, named.id));
        return isMeant ? [{ state, match: matchByContent(state, history) }] : [];
      }),
    );
    return found.flat();
  }
}

/** Whether the session ends where the first so many messages of the client's do. */
export function endsAfter({ state, match }: FoundConversation, messages: number): boolean {
  return match.matched === messages && match.place === state.messages.length;
}

function rank(found: FoundConversation, all: number): number {
  const { state, match } = found;
  const message = state.messages[match.place - 1];
  // A repeated message belongs to the session that answered it, not to forks with a copy of the answer.
  if (match.matched === all) return message && runTakenBy(state, message) ? 1 : 0;
  return endsAfter(found, match.matched) ? 1 : 0;
}
