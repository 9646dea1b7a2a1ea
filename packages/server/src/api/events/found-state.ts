import type { Principal, SessionState, Sessions } from "@parley/sessions";
import { problemOf } from "../problem.ts";

/** The session as it is; undefined: there is none that is the principal's. */
export async function foundState(
  sessions: Sessions,
  principal: Principal,
  id: string,
): Promise<SessionState | undefined> {
  try {
    return await sessions.state(principal, id);
  } catch (error) {
    if (problemOf(error)?.code === "not_found") return undefined;
    throw error;
  }
}
