import type { SyncEngine } from "@parley/client";

/** What the page keeps of a session for itself. */
export interface SessionBag {
  readonly draft?: string;
}

const bags = new Map<string, SessionBag>();

/** What was kept of a session. */
export async function loadBag(engine: SyncEngine, sessionId: string): Promise<SessionBag> {
  const kept = (await engine.bag(sessionId)) as SessionBag | undefined;
  const bag = bags.get(sessionId) ?? kept ?? {};
  bags.set(sessionId, bag);
  return bag;
}

/** Keeps something of a session beside the rest; undefined: no more. Takes effect at once, for the page may go any moment. */
export function changeBag(
  engine: SyncEngine,
  sessionId: string,
  change: { readonly [Name in keyof SessionBag]: SessionBag[Name] | undefined },
): void {
  const entries = Object.entries({ ...bags.get(sessionId), ...change }).filter(
    ([, value]) => value !== undefined,
  );
  const bag: SessionBag = Object.fromEntries(entries);
  bags.set(sessionId, bag);
  engine.keepBag(sessionId, entries.length > 0 ? bag : undefined);
}
