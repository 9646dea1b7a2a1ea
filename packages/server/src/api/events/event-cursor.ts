import { createHash } from "node:crypto";

const SEPARATOR = "~";
const VERSION = "1";
const PART = /^([\w-]{8})([0-9a-z]{1,10})$/;

/** The cursor is none that we gave out. */
export class MalformedCursorError extends Error {}

/**
 * Where a reader of many sessions is: an index for each, and one for the workspace where it reads that too. As text it is
 * opaque, and short because it goes with every event: each session is there by a part of its id's hash.
 */
export class EventCursor {
  readonly #indices: Map<string, number>;
  /** The index in the workspace's stream; undefined: it is not read. */
  workspace: number | undefined;

  constructor(indices: ReadonlyMap<string, number> = new Map(), workspace?: number) {
    this.#indices = new Map(indices);
    this.workspace = workspace;
  }

  /** Reads what `toString` wrote; throws `MalformedCursorError` at all else. */
  static parse(text: string): EventCursor {
    const [version, workspace = "", ...parts] = text.split(SEPARATOR);
    if (version !== VERSION || !/^[0-9a-z]{0,10}$/.test(workspace)) throw new MalformedCursorError();
    const indices = parts.map((part): [string, number] => {
      const [, key, index] = PART.exec(part) ?? [];
      if (key === undefined || index === undefined) throw new MalformedCursorError();
      return [key, Number.parseInt(index, 36)];
    });
    return new EventCursor(new Map(indices), workspace === "" ? undefined : Number.parseInt(workspace, 36));
  }

  of(sessionId: string): number | undefined {
    return this.#indices.get(cursorKey(sessionId));
  }

  set(sessionId: string, index: number): void {
    this.#indices.set(cursorKey(sessionId), index);
  }

  delete(sessionId: string): void {
    this.#indices.delete(cursorKey(sessionId));
  }

  /** Forgets every place. */
  clear(): void {
    this.#indices.clear();
    this.workspace = undefined;
  }

  toString(): string {
    let text = `${VERSION}${SEPARATOR}${this.workspace?.toString(36) ?? ""}`;
    for (const [key, index] of this.#indices) text += `${SEPARATOR}${key}${index.toString(36)}`;
    return text;
  }
}

/** A cursor over one session. */
export function oneCursor(sessionId: string, index: number): string {
  const cursor = new EventCursor();
  cursor.set(sessionId, index);
  return cursor.toString();
}

const KEYS = new Map<string, string>();
const MOST_KEYS = 10_000;

function cursorKey(sessionId: string): string {
  let key = KEYS.get(sessionId);
  if (key === undefined) {
    key = createHash("sha256").update(sessionId).digest("base64url").slice(0, 8);
    if (KEYS.size >= MOST_KEYS) KEYS.clear();
    KEYS.set(sessionId, key);
  }
  return key;
}
