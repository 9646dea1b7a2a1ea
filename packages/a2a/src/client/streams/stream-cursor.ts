import type { StreamResponse } from "../../protocol/model.ts";

/** Frames of one event whose cursor has not come yet; more than this is no event of ours. */
const UNCONFIRMED = 256;

/**
 * The place up to which a stream was read. An event that the dialect writes as several frames has its cursor on the
 * last of them: those before it come again after a reconnect, and are known by what they say.
 */
export class StreamCursor {
  #last: string | undefined;
  #unconfirmed: string[] = [];
  #expected: string[] = [];

  constructor(last: string | undefined) {
    this.#last = last;
  }

  /** The cursor to resume after; undefined while the agent has sent none. */
  get last(): string | undefined {
    return this.#last;
  }

  /** The stream resumes after the cursor: events read since then are expected again. */
  resumed(): void {
    this.#expected = this.#unconfirmed.splice(0);
  }

  forgotten(): void {
    this.#last = undefined;
    this.#unconfirmed = [];
    this.#expected = [];
  }

  wasSeen(event: StreamResponse): boolean {
    if (this.#expected.length === 0) return false;
    if (this.#expected.shift() === JSON.stringify(event)) return true;
    this.#expected = [];
    return false;
  }

  /** This event was read, and its cursor is still to come. */
  seen(event: StreamResponse): void {
    const isKept = this.#last !== undefined && this.#unconfirmed.length < UNCONFIRMED;
    if (isKept) this.#unconfirmed.push(JSON.stringify(event));
  }

  confirm(cursor: string | undefined): void {
    if (cursor === undefined) return;
    this.#last = cursor;
    this.#unconfirmed = [];
  }
}
