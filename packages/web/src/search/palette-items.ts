import type { SearchHit, Session } from "@parley/client";
import { hasAll, wordsOf } from "./highlight.ts";

/** Something that can be done by name. */
export interface PaletteCommand {
  readonly id: string;
  readonly label: string;
  readonly keys?: string;
  run(): void;
}

export type PaletteItem =
  | { readonly kind: "session"; readonly id: string; readonly sessionId: string; readonly title: string }
  | {
      readonly kind: "message";
      readonly id: string;
      readonly sessionId: string;
      readonly messageId: string;
      readonly title: string;
      readonly excerpt: string;
    }
  | { readonly kind: "command"; readonly id: string; readonly command: PaletteCommand };

/** Lines of one kind, under a heading. */
export interface PaletteGroup {
  readonly kind: PaletteItem["kind"];
  readonly items: readonly PaletteItem[];
}

const MAX_SESSIONS = 6;
const MAX_MESSAGES = 12;

/** What the palette shows: titles that are known here first, then what the server found, then what can be done. */
export function paletteGroups(
  query: string,
  { sessions, hits, commands }: PaletteSources,
): readonly PaletteGroup[] {
  const words = wordsOf(query);
  const known = sessions.filter(({ title }) => title !== "" && hasAll(title, words));
  const found = hits.filter(({ messageId }) => messageId === undefined);
  const titles = new Map([...known, ...found.map(asSession)].map(({ id, title }) => [id, title]));
  const groups: PaletteGroup[] = [
    {
      kind: "session",
      items: [...titles]
        .slice(0, MAX_SESSIONS)
        .map(([id, title]) => ({ kind: "session", id: `session/${id}`, sessionId: id, title })),
    },
    { kind: "message", items: hits.flatMap(messageItem).slice(0, MAX_MESSAGES) },
    {
      kind: "command",
      items: commands
        .filter(({ label }) => hasAll(label, words))
        .map((command) => ({ kind: "command", id: `command/${command.id}`, command })),
    },
  ];
  return groups.filter(({ items }) => items.length > 0);
}

/** What the lines are made of. */
export interface PaletteSources {
  /** The newest first. */
  readonly sessions: readonly Pick<Session, "id" | "title">[];
  readonly hits: readonly SearchHit[];
  readonly commands: readonly PaletteCommand[];
}

function asSession({ sessionId: id, title }: SearchHit): Pick<Session, "id" | "title"> {
  return { id, title };
}

function messageItem({ sessionId, messageId, title, excerpt }: SearchHit): PaletteItem[] {
  if (messageId === undefined) return [];
  const id = `message/${sessionId}/${messageId}`;
  return [{ kind: "message", id, sessionId, messageId, title, excerpt: withoutSigns(excerpt) }];
}

/** Removes Markdown signs, which mean nothing in a one-line excerpt. */
function withoutSigns(excerpt: string): string {
  return excerpt.replaceAll(/\*\*|`+|(?<=^|\s)#{1,6}\s/g, "");
}
