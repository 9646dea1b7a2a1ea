import type { Session } from "@parley/client";
import type { Strings } from "./strings/en.ts";

/** What a session goes by in lists: its title, or the words that it began with; a branch goes by its own words. */
export function sessionName({ title, parentId, metadata }: Session, untitled: string): string {
  const { opening } = metadata;
  return (parentId === undefined ? title || opening : opening || title) || untitled;
}

/** The same with what it is a branch of, for where that cannot be seen from its place. */
export function sessionWholeName(session: Session, strings: Pick<Strings, "app" | "sessions">): string {
  const name = sessionName(session, strings.app.untitled);
  return session.parentId === undefined || session.title === ""
    ? name
    : strings.sessions.branch(session.title, name);
}
