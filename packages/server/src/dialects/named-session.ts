import { createHash } from "node:crypto";
import { CommandRefusedError, type Principal, type Sessions } from "@parley/sessions";
import { z } from "zod";
import { chosenId } from "../api/schemas/parameters.ts";

/** What a client calls its conversation: whatever it likes, such as `1` or `thread-1`. */
export const conversationName = z.string().min(1).max(500);

/**
 * The id of the session that somebody's client means by a name: the name itself where nobody could guess it, or where it
 * is that of a session of theirs, else one that is theirs alone. No client can choose such an id, for it has a dot.
 */
export async function namedSession(
  sessions: Pick<Sessions, "row">,
  principal: Principal,
  name: string,
): Promise<string> {
  if (chosenId.safeParse(name).success || (await isThere(sessions, principal, name))) return name;
  const whose = JSON.stringify([principal.workspace, principal.owner, name]);
  return `named.${createHash("sha256").update(whose).digest("base64url").slice(0, 32)}`;
}

async function isThere(sessions: Pick<Sessions, "row">, principal: Principal, id: string): Promise<boolean> {
  try {
    await sessions.row(principal, id);
    return true;
  } catch (error) {
    if (error instanceof CommandRefusedError && error.code === "not_found") return false;
    throw error;
  }
}
