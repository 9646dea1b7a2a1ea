import type { Session } from "@parley/client";

/** What a session goes by in lists: its title, or the words that it began with; a branch goes by its own words. */
export function sessionName({ title, parentId, metadata }: Session, untitled: string): string {
  const { opening } = metadata;
  return (parentId === undefined ? title || opening : opening || title) || untitled;
}
