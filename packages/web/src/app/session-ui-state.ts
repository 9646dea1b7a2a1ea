import { cacheName } from "../people/who.ts";
import type { Parley } from "./parley.ts";

/** UI state of a session that is never sent to the server. */
export interface SessionUiState {
  readonly draft?: string;
}

type Keeper = Pick<Parley, "engine" | "me">;

/** The saved UI state. The tab's own copy comes first: the cache may not have got it before the page closed. */
export async function loadUiState({ engine, me }: Keeper, sessionId: string): Promise<SessionUiState> {
  const inTab = sessionStorage.getItem(tabKey(me, sessionId));
  if (inTab !== null) return JSON.parse(inTab) as SessionUiState;
  return ((await engine.loadUiState(sessionId)) as SessionUiState | undefined) ?? {};
}

/**
 * Keeps this of a session from now on. The page may go at any moment and the cache takes its time, so it is in the tab's own
 * storage too, which is written at once.
 */
export function saveUiState({ engine, me }: Keeper, sessionId: string, uiState: SessionUiState): void {
  engine.saveUiState(sessionId, uiState.draft === undefined ? undefined : uiState);
  const key = tabKey(me, sessionId);
  try {
    sessionStorage.setItem(key, JSON.stringify(uiState));
  } catch {
    // It is full, and the cache has to do; what was written before must not come back in its place.
    sessionStorage.removeItem(key);
  }
}

function tabKey(me: Parley["me"], sessionId: string): string {
  return `${cacheName(me)} bag ${sessionId}`;
}
