import { isDeepStrictEqual } from "node:util";
import { type AppendChain, BrokenChainError, type Journal, JsonText, type Merge } from "@parley/journal";
import type { Artifact, Part, TaskArtifactUpdate } from "../../protocol/model.ts";
import type { TaskEvent } from "../task-events.ts";

interface PieceOwner {
  readonly taskId: string;
  readonly contextId: string;
}

export type ArtifactHead = Omit<Artifact, "parts">;

/** All that the pieces of one artifact have in common, as text: made once, because most events are such pieces. */
export function pieceOpening(owner: PieceOwner, head: ArtifactHead): string {
  const artifact = JSON.stringify({ ...head, parts: [] }).slice(0, -"]}".length);
  const { taskId, contextId } = owner;
  return `{"artifactUpdate":${JSON.stringify({ taskId, contextId }).slice(0, -1)},"artifact":${artifact}{"text":`;
}

export class TextPiece {
  readonly #opening: string;
  readonly #append: boolean;
  #text: string;
  #last: boolean;

  constructor(opening: string, text: string, { append, last }: { append: boolean; last: boolean }) {
    this.#opening = opening;
    this.#append = append;
    this.#text = text;
    this.#last = last;
  }

  /** Takes the next piece in, if that changes nothing for a reader; false means that it must stand alone. */
  join(next: TextPiece): boolean {
    const fits = this.#text.length + next.#text.length <= 65_536;
    if (!fits || this.#last || !next.#append || next.#opening !== this.#opening) return false;
    this.#text += next.#text;
    this.#last = next.#last;
    return true;
  }

  get event(): JsonText {
    const flags = `"append":${this.#append},"lastChunk":${this.#last}`;
    return new JsonText(`${this.#opening}${JSON.stringify(this.#text)}}]},${flags}}}`);
  }
}

/**
 * Joins two neighbouring pieces of plain text of one artifact into one. Declines whenever joining would change what
 * a reader makes of them: another artifact, a piece that begins anew, a piece after the last, one with other metadata, anything but text.
 */
export const joinText: Merge = (previous, next) => {
  const first = textPiece(previous as TaskEvent);
  const second = textPiece(next as TaskEvent);
  if (!first || !second || first.update.lastChunk || !second.update.append) return undefined;
  const { artifact } = first.update;
  const { artifactId, metadata } = second.update.artifact;
  if (artifact.artifactId !== artifactId || !isDeepStrictEqual(artifact.metadata, metadata)) return undefined;
  const parts = [{ text: first.text + second.text }];
  const last = second.update.lastChunk && { lastChunk: true };
  return { artifactUpdate: { ...first.update, artifact: { ...artifact, parts }, ...last } };
};

function textPiece(event: TaskEvent): { update: TaskArtifactUpdate; text: string } | undefined {
  if (!("artifactUpdate" in event)) return undefined;
  const { artifactUpdate: update } = event;
  const [part, ...more] = update.artifact.parts;
  if (!part || more.length > 0 || !isBare(part) || update.metadata) return undefined;
  return { update, text: part.text };
}

function isBare(part: Part): part is { readonly text: string } {
  return part.text !== undefined && Object.keys(part).length === 1;
}

/** The number of uncommitted events above which writers wait. */
const MAX_WAITING_EVENTS = 1_024;
const ROOM = Promise.resolve();

export interface EventBatchOptions {
  readonly journal: Journal;
  readonly stream: string;
  readonly epoch: number;
  /** Whether text that waits for the same flush may be joined. */
  readonly coalesce: boolean;
  /** Called once, when an event could not be written; `settling`: what settles the task may have been among them. */
  onFailure(error: unknown, settling: boolean): void;
}

export interface Handling {
  readonly urgent?: boolean;
  /** It settles the task: it is recorded only if everything before it is. */
  readonly settles?: boolean;
}

/** Hands a writer's events to the journal: those of one turn of the event loop together, in order. */
export class EventBatch {
  readonly #options: EventBatchOptions;
  #gathered: (TaskEvent | TextPiece)[] = [];
  /** How many were added for these, joined or not: a writer that never pauses would starve the others. */
  #added = 0;
  #turn: NodeJS.Immediate | undefined;
  /** After one failed append nothing more is recorded: a task must not complete with a gap. */
  readonly #chain: AppendChain = { broken: false };
  /** What settles the task is among the gathered, or on its way. */
  #settles: "gathered" | "sent" | undefined;
  #stopped = false;
  #hasTold = false;
  #waiting = 0;
  #room: PromiseWithResolvers<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #last: Promise<void> = ROOM;
  #latest: Promise<unknown> = ROOM;
  #committed = 0;

  constructor(options: EventBatchOptions) {
    this.#options = options;
  }

  add(event: TaskEvent | TextPiece, { urgent = false, settles = false }: Handling = {}): void {
    if (this.#stopped) return;
    if (!this.#joins(event)) this.#gathered.push(event);
    this.#added++;
    this.#waiting++;
    if (settles) this.#settles = "gathered";
    if (urgent || settles || this.#added >= MAX_WAITING_EVENTS) this.#send(true);
    else this.#turn ??= setImmediate(() => this.#send(false));
  }

  /** Takes nothing more after a failure: the task is resumed from before the gap. */
  stop(): void {
    this.#stopped = true;
    this.#latest = this.written();
    // Only callers that await it get the error.
    this.#latest.catch(() => {});
  }

  /** Resolves when the latest events that were sent are committed; rejects if these could not be. */
  get latest(): Promise<unknown> {
    return this.#latest;
  }

  /** Resolves when there is room for more, or when nothing can be written any more. */
  room(): Promise<void> {
    if (this.#waiting < MAX_WAITING_EVENTS || this.#failure) return ROOM;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  /** Resolves when all that was added is committed, or could not be, with the last index that was. */
  async flushed(): Promise<number> {
    this.#send(false);
    for (let last: unknown; last !== this.#last; ) {
      last = this.#last;
      await last;
    }
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
    const settles = this.#settles === "gathered";
    if (settles) this.#settles = "sent";
    const added = this.#clear();
    const merge: { merge?: Merge } = coalesce ? { merge: joinText } : {};
    // The event that reports the failure does not depend on the failed appends.
    const chain = this.#failure ? {} : { chain: this.#chain };
    const before = this.#last;
    const appended = journal.append(stream, events, { urgent, epoch, ...merge, ...chain });
    this.#latest = appended;
    this.#last = appended.then(
      (index) => {
        this.#committed = Math.max(this.#committed, index);
        this.#returned(added);
        return before;
      },
      (error: unknown) => {
        this.#failure ??= { error };
        this.#returned(added);
        this.#tell(error, settles);
        return before;
      },
    );
  }

  // While what settles the task is on its way, its own failure says more: refused for this one, or with an open fate.
  #tell(error: unknown, settles: boolean): void {
    if (this.#hasTold || !this.#failure || (this.#settles && !settles)) return;
    this.#hasTold = true;
    this.#options.onFailure(this.#failure.error, settles && !(error instanceof BrokenChainError));
  }

  #returned(added: number): void {
    this.#waiting -= added;
    // Events after a gap are worthless.
    if (this.#failure) this.#waiting -= this.#clear();
    if (this.#waiting >= MAX_WAITING_EVENTS && !this.#failure) return;
    this.#room?.resolve();
    this.#room = undefined;
  }

  #clear(): number {
    const added = this.#added;
    this.#gathered = [];
    this.#added = 0;
    return added;
  }
}
