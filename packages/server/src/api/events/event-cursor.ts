import { createHash } from "node:crypto";

const VERSION = "1";
const INDEX = /^[0-9a-z]{1,10}$/;

/** The cursor is none that we gave out. */
export class MalformedCursorError extends Error {}

/**
 * Where a reader of many sessions is: an index for each. As text it is opaque. It goes with every event, so where the
 * request names its sessions they are there by a part of their ids' hash; a reader of a whole workspace has an index in
 * the workspace's stream of this record too, and the ids of those sessions in which something is going on.
 */
export class EventCursor {
  readonly #indices: Map<string, number>;
  /** The index in the workspace's stream; undefined: it is not read. */
  workspace: number | undefined;
  /** Of which record that stream is. */
  record: string | undefined;

  constructor(indices: ReadonlyMap<string, number> = new Map(), workspace?: number, record?: string) {
    this.#indices = new Map(indices);
    this.workspace = workspace;
    this.record = record;
  }

  /** Reads what `toString` wrote; throws `MalformedCursorError` at all else. */
  static parse(text: string): EventCursor {
    const [version, workspace = "", ...parts] = text.split(":");
    if (version !== VERSION) throw new MalformedCursorError();
    const indices = parts.map((part): [string, number] => {
      const [key = "", index = "", more] = part.split(",");
      if (more !== undefined || !/^[\w%.!~*'()-]+$/.test(key)) throw new MalformedCursorError();
      return [key, indexIn(index)];
    });
    if (workspace === "") return new EventCursor(new Map(indices));
    const [, index = "", record] = /^([^.]*)(?:\.([\w-]{1,100}))?$/.exec(workspace) ?? [];
    return new EventCursor(new Map(indices), indexIn(index), record);
  }

  of(sessionId: string): number | undefined {
    return this.#indices.get(this.#key(sessionId));
  }

  /** The sessions of a workspace that it names. */
  ids(): string[] {
    if (this.workspace === undefined) return [];
    try {
      return [...this.#indices.keys()].map(decodeURIComponent);
    } catch {
      throw new MalformedCursorError();
    }
  }

  set(sessionId: string, index: number): void {
    this.#indices.set(this.#key(sessionId), index);
  }

  delete(sessionId: string): void {
    this.#indices.delete(this.#key(sessionId));
  }

  /** Forgets every place. */
  clear(): void {
    this.#indices.clear();
    this.workspace = undefined;
    this.record = undefined;
  }

  toString(): string {
    let text = `${VERSION}:${this.workspace?.toString(36) ?? ""}`;
    if (this.record !== undefined) text += `.${this.record}`;
    for (const [key, index] of this.#indices) text += `:${key},${index.toString(36)}`;
    return text;
  }

  #key(sessionId: string): string {
    return this.workspace === undefined ? shortKey(sessionId) : encodeURIComponent(sessionId.toWellFormed());
  }
}

function indexIn(text: string): number {
  if (!INDEX.test(text)) throw new MalformedCursorError();
  return Number.parseInt(text, 36);
}

/** A cursor over one session. */
export function oneCursor(sessionId: string, index: number): string {
  const cursor = new EventCursor();
  cursor.set(sessionId, index);
  return cursor.toString();
}

const KEYS = new Map<string, string>();
const MAX_KEYS = 10_000;

function shortKey(sessionId: string): string {
  let key = KEYS.get(sessionId);
  if (key === undefined) {
    key = createHash("sha256").update(sessionId).digest("base64url").slice(0, 8);
    if (KEYS.size >= MAX_KEYS) KEYS.clear();
    KEYS.set(sessionId, key);
  }
  return key;
}
