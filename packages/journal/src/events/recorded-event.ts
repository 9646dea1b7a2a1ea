/** One event as it was committed; every reader of an index sees the same bytes. */
export class RecordedEvent<Payload = unknown> {
  readonly index: number;
  /** When the writer appended it, in milliseconds since 1970: for people, never for order. */
  readonly at: number;
  readonly json: string;
  #payload: Payload | undefined;

  constructor(index: number, at: number, json: string) {
    this.index = index;
    this.at = at;
    this.json = json;
  }

  /** The payload, parsed once and shared by all who hold this event: do not change it. */
  get payload(): Payload {
    // Parsed from the stored text even on the writer's side, so that live and replay cannot differ.
    if (this.#payload === undefined) this.#payload = JSON.parse(this.json) as Payload;
    return this.#payload;
  }
}
