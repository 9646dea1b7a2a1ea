import { createHash } from "node:crypto";
import type { Principal, Sessions } from "@parley/sessions";
import { z } from "zod";
import { unless } from "../problem.ts";

/** A client's name for its conversation: any text, such as `1` or `thread-1`. */
export const conversationName = z.string().min(1).max(500);

/** Ids of 128 random bits, which nobody can guess. */
const RANDOM = /^(?:ses_[0-9a-f]{32}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/i;

/**
 * The id of the session that a user's client means by a name. Two users may choose the same name: it is the id itself
 * where that is the user's own session, or random and not taken, else one derived from user and name. No client can
 * choose a derived id, since it has a dot.
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

/** The body of a request for a new session, with the name that the client chose resolved to an id. */
export async function withOwnId<Body extends { readonly id?: string | undefined }>(
  sessions: Pick<Sessions, "row" | "isSomebodyElses">,
  principal: Principal,
  body: Body,
): Promise<Body> {
  return body.id === undefined ? body : { ...body, id: await namedSession(sessions, principal, body.id) };
}
