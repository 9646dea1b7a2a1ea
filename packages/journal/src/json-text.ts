/**
 * A payload that is JSON text already, for writers of many small events. The caller vouches for it: it must be what
 * `JSON.stringify` would write, because it is recorded and delivered as it is.
 */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The payload itself, whichever way it was handed over. */
export function payloadOf(payload: unknown): unknown {
  return payload instanceof JsonText ? JSON.parse(payload.text) : payload;
}
