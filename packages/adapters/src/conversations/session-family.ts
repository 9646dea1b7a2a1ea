import type { Principal, SessionState, Sessions } from "@parley/sessions";
import { unless } from "../problem.ts";

const MAX_FORKS = 50;

/** A session and the nearest of its forks that `includes` accepts, the newest first, without deleted ones; at most 50. */
export async function* familyOf(
  sessions: Pick<Sessions, "state">,
  principal: Principal,
  root: SessionState,
  includes: (id: string) => boolean = () => true,
): AsyncGenerator<SessionState> {
  const states = [root];
  let left = MAX_FORKS;
  for (let state = states.shift(); state; state = states.shift()) {
    yield state;
    for (const { id } of state.children.toReversed()) {
      if (!includes(id)) continue;
      if (left-- <= 0) break;
      const child = await unless("not_found", sessions.state(principal, id));
      if (child && child.status !== "deleted") states.push(child);
    }
  }
}

/** Whether a session is that of this id, or was forked from it. */
export async function isInFamily(
  sessions: Pick<Sessions, "row">,
  principal: Principal,
  { id, parent }: Pick<SessionState, "id" | "parent">,
  rootId: string,
): Promise<boolean> {
  let above = id === rootId ? id : parent?.sessionId;
  for (let depth = 0; above !== undefined && depth < MAX_FORKS; depth++) {
    if (above === rootId) return true;
    above = (await unless("not_found", sessions.row(principal, above)))?.parentId;
  }
  return false;
}

/** The same sessions with `first` at the front. */
export async function* startingWith(
  first: SessionState | undefined,
  states: AsyncIterable<SessionState>,
): AsyncGenerator<SessionState> {
  if (first) yield first;
  for await (const state of states) if (state.id !== first?.id) yield state;
}
