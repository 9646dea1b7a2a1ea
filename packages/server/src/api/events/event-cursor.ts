import { createHash } from "node:crypto";

const VERSION = "1";
const INDEX = /^[0-9a-z]{1,10}$/;

/** The text is not a cursor that we issued. */
export class MalformedCursorError extends Error {}

/**
 * The position of a reader of many sessions: an index for each, as opaque text. It is sent with every event, so it is kept
 * short: where the request names its sessions, they appear by a prefix of their ids' hash. A reader of a whole workspace
 * also has an index in the workspace's stream of this record, and the ids of the active sessions only.
 */
export class EventCursor {
  readonly #indices: Map<string, number>;
  /** The index in the workspace's stream; undefined where that is not read. */
  workspace: number | undefined;
  /** The record that the stream belongs to. */
  record: string | undefined;

  constructor(indices: ReadonlyMap<string, number> = new Map(), workspace?: number, record?: string) {
    this.#indices = new Map(indices);
    this.workspace = workspace;
    this.record = record;
  }

  /** Parses what `toString` wrote; throws `MalformedCursorError`. */
  static parse(text: string): EventCursor {
    const [version, workspace = "", ...parts] = text.split(":");
    if (version !== VERSION) throw new MalformedCursorError();
    const indices = parts.map((part): [string, number] => {
      const [key = "", index = "", more] = part.split(",");
      if (more !== undefined || !/^[\w%.!~*'()-]+$/.test(key)) throw new MalformedCursorError();
      return [key, parseIndex(index)];
    });
    if (workspace === "") return new EventCursor(new Map(indices));
    const [, index = "", record] = /^([^.]*)(?:\.([\w-]{1,100}))?$/.exec(workspace) ?? [];
    return new EventCursor(new Map(indices), parseIndex(index), record);
  }

  of(sessionId: string): number | undefined {
    return this.#indices.get(this.#key(sessionId));
  }

  /** The sessions that a workspace cursor names. */
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

function parseIndex(text: string): number {
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
