import { createHash } from "node:crypto";
import type { Principal, Sessions } from "@parley/sessions";
import { z } from "zod";
import { unless } from "../problem.ts";

/** What a client calls its conversation: whatever it likes, such as `1` or `thread-1`. */
export const conversationName = z.string().min(1).max(500);

/** Ids of 128 random bits: nobody guesses one. */
const RANDOM = /^(?:ses_[0-9a-f]{32}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/i;

/**
 * The id of the session that somebody's client means by a name. Two may choose the same name: it is the id itself where
 * that is a session of theirs, or where it is random and nobody else has it, else one that is theirs alone, whether or
 * not somebody else has chosen that name. No client can choose such an id, for it has a dot.
 */
export async function namedSession(
  sessions: Pick<Sessions, "row" | "isSomebodyElses">,
  principal: Principal,
  name: string,
): Promise<string> {
  const whose = JSON.stringify([principal.workspace, principal.owner, name]);
  const id = `named.${createHash("sha256").update(whose).digest("base64url").slice(0, 32)}`;
  if (await unless("not_found", sessions.row(principal, id))) return id;
  if (await unless("not_found", sessions.row(principal, name))) return name;
  const isFree = RANDOM.test(name) && !(await sessions.isSomebodyElses(principal, name));
  return isFree ? name : id;
}

/** What a request says of the session that it makes, with that session's id where the client chose one. */
export async function withOwnId<Body extends { readonly id?: string | undefined }>(
  sessions: Pick<Sessions, "row" | "isSomebodyElses">,
  principal: Principal,
  body: Body,
): Promise<Body> {
  return body.id === undefined ? body : { ...body, id: await namedSession(sessions, principal, body.id) };
}
