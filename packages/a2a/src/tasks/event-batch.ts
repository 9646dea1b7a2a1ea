import type { Journal, Merge } from "@parley/journal";
import { joinText } from "./coalesce-text.ts";
import type { TaskEvent } from "./task-events.ts";
import { TextPiece } from "./text-piece.ts";

/** So many events may wait for their commit before a writer is asked to pause. */
const PLENTY = 1_024;
const ROOM = Promise.resolve();

export interface EventBatchOptions {
  readonly journal: Journal;
  readonly stream: string;
  readonly epoch: number;
  /** Whether text that waits for the same flush may be joined. */
  readonly coalesce: boolean;
  /** Called once, when an event could not be written. */
  onFailure(error: unknown): void;
}

/** Hands a writer's events to the journal: those of one turn of the event loop together, in order. */
export class EventBatch {
  readonly #options: EventBatchOptions;
  #gathered: (TaskEvent | TextPiece)[] = [];
  /** How many were added for these, joined or not: a writer that never pauses would let nobody else have a turn. */
  #added = 0;
  #turn: NodeJS.Immediate | undefined;
  /** What was added and is not yet committed. */
  #waiting = 0;
  #room: PromiseWithResolvers<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #last: Promise<void> = ROOM;
  #committed = 0;

  constructor(options: EventBatchOptions) {
    this.#options = options;
  }

  add(event: TaskEvent | TextPiece, urgent = false): void {
    if (!this.#joins(event)) this.#gathered.push(event);
    this.#added++;
    this.#waiting++;
    // A writer that is about to pause does not wait for company as well.
    if (urgent || this.#added >= PLENTY) this.#send(true);
    else this.#turn ??= setImmediate(() => this.#send(false));
  }

  /** Resolves when there is room for more, or when nothing can be written any more. */
  room(): Promise<void> {
    if (this.#waiting < PLENTY || this.#failure) return ROOM;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  /** Resolves when all that was added is committed, or could not be, with the last index that was. */
  async flushed(): Promise<number> {
    this.#send(false);
    await this.#last;
    return this.#committed;
  }

  /** Resolves when all that was added is committed; rejects if something could not be. */
  async written(): Promise<void> {
    await this.flushed();
    if (this.#failure) throw this.#failure.error;
  }

  #joins(event: TaskEvent | TextPiece): boolean {
    if (!this.#options.coalesce || !(event instanceof TextPiece)) return false;
    const last = this.#gathered.at(-1);
    return last instanceof TextPiece && last.join(event);
  }

  #send(urgent: boolean): void {
    clearImmediate(this.#turn);
    this.#turn = undefined;
    if (this.#gathered.length === 0) return;
    const { journal, stream, epoch, coalesce } = this.#options;
    const events = this.#gathered.map((event) => (event instanceof TextPiece ? event.event : event));
    const added = this.#added;
    this.#gathered = [];
    this.#added = 0;
    const merge: { merge?: Merge } = coalesce ? { merge: joinText } : {};
    this.#last = journal.append(stream, events, { urgent, epoch, ...merge }).then(
      (index) => {
        this.#committed = index;
        this.#settled(added);
      },
      (error: unknown) => {
        if (!this.#failure) this.#options.onFailure(error);
        this.#failure ??= { error };
        this.#settled(added);
      },
    );
  }

  #settled(added: number): void {
    this.#waiting -= added;
    if (this.#waiting >= PLENTY && !this.#failure) return;
    this.#room?.resolve();
    this.#room = undefined;
  }
}
