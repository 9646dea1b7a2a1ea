import { createHash } from "node:crypto";
import { CommandRefusedError, type Principal, type Sessions } from "@parley/sessions";
import { z } from "zod";
import { chosenId } from "../api/schemas/parameters.ts";

/** What a client calls its conversation: whatever it likes, such as `1` or `thread-1`. */
export const conversationName = z.string().min(1).max(500);

/**
 * The id of the session that somebody's client means by a name. Two may choose the same name: it is the id itself where
 * that is a session of theirs, or where nobody could guess it and nobody else has it, else one that is theirs alone. No
 * client can choose such an id, for it has a dot.
 */
export async function namedSession(
  sessions: Pick<Sessions, "row" | "isSomebodyElses">,
  principal: Principal,
  name: string,
): Promise<string> {
  const whose = JSON.stringify([principal.workspace, principal.owner, name]);
  const id = `named.${createHash("sha256").update(whose).digest("base64url").slice(0, 32)}`;
  if (await isThere(sessions, principal, id)) return id;
  if (await isThere(sessions, principal, name)) return name;
  const mayBeId = chosenId.safeParse(name).success && !(await sessions.isSomebodyElses(principal, name));
  return mayBeId ? name : id;
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
