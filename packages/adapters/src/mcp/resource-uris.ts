import { percentDecoded } from "../conversations/data-url.ts";

const SESSION = /^parley:\/\/sessions\/([^/?#]+)(\/json)?$/;
const FILE = /^parley:\/\/files\/([0-9a-f]{64})$/;

/** The templates of what can be read, by what they are of. */
export const URI_TEMPLATES = {
  session: "parley://sessions/{id}",
  sessionJson: "parley://sessions/{id}/json",
  file: "parley://files/{id}",
} as const;

/** A session, as Markdown. */
export function sessionUri(id: string): string {
  return `parley://sessions/${encodeURIComponent(id)}`;
}

/** A file that was uploaded, or that an agent made. */
export function fileUri(id: string): string {
  return `parley://files/${id}`;
}

/** What a URI names; undefined: nothing that could be here. */
export type NamedResource =
  | { readonly kind: "session" | "sessionJson"; readonly id: string }
  | { readonly kind: "file"; readonly id: string };

/** Reads a URI as the templates write it. */
export function namedResource(uri: string): NamedResource | undefined {
  const [, session, json] = SESSION.exec(uri) ?? [];
  if (session !== undefined) {
    const id = percentDecoded(session);
    return id === undefined ? undefined : { kind: json ? "sessionJson" : "session", id };
  }
  const [, file] = FILE.exec(uri) ?? [];
  return file === undefined ? undefined : { kind: "file", id: file };
}
