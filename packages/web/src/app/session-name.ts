import type { Session } from "@parley/client";
import type { Strings } from "./strings/en.ts";

/** A session's name in lists: its title or its first words; a branch goes by its own first words. */
export function sessionName({ title, parentId, metadata }: Session, untitled: string): string {
  const { opening } = metadata;
  return (parentId === undefined ? title || opening : opening || title) || untitled;
}

/** The name with the title of what it branches from. */
export function sessionWholeName(session: Session, strings: Pick<Strings, "app" | "sessions">): string {
  const name = sessionName(session, strings.app.untitled);
  return session.parentId === undefined || session.title === ""
    ? name
    : strings.sessions.branch(session.title, name);
}
