import { z } from "zod";

export const MAX_BODY_BYTES = 1_048_576;
export const MAX_DEPTH = 64;
/** So many members and items all objects and arrays of a body may have together: each costs far more than its bytes. */
const MAX_VALUES = 200_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/** What JSON has too much of, and that in words. */
export interface JsonExcess {
  readonly of: "levels" | "values";
  readonly message: string;
}

/** Scans JSON bytes as they arrive, before a parser could overflow its stack or block the event loop on them. */
export class JsonScan {
  readonly #maxDepth: number;
  readonly #maxValues: number;
  #depth = 0;
  #values = 0;
  #isString = false;
  /** How many of the next bytes are escaped. */
  #escaped = 0;

  constructor({ maxDepth = MAX_DEPTH, maxValues = MAX_VALUES } = {}) {
    this.#maxDepth = maxDepth;
    this.#maxValues = maxValues;
  }

  /** Scans the next bytes; returns which limit is exceeded. */
  next(bytes: Uint8Array): JsonExcess | undefined {
    let [depth, values, isString, position] = [this.#depth, this.#values, this.#isString, this.#escaped];
    for (; position < bytes.length; position++) {
      const byte = bytes[position];
      if (isString) {
        if (byte === BACKSLASH) position++;
        else if (byte === QUOTE) isString = false;
      } else if (byte === QUOTE) isString = true;
      else if (byte === COMMA) values++;
      else if (byte === 0x5b || byte === 0x7b) {
        values++;
        if (++depth > this.#maxDepth)
          return { of: "levels", message: `The body is nested deeper than ${this.#maxDepth} levels` };
      } else if (byte === 0x5d || byte === 0x7d) depth--;
      if (values > this.#maxValues)
        return { of: "values", message: `The body has more than ${this.#maxValues} values` };
    }
    [this.#depth, this.#values, this.#isString] = [depth, values, isString];
    this.#escaped = position - bytes.length;
    return undefined;
  }
}

/** Whether JSON text is nested deeper than this. */
export function isDeeperThan(maxDepth: number, json: string): boolean {
  const scan = new JsonScan({ maxDepth, maxValues: Number.POSITIVE_INFINITY });
  return scan.next(Buffer.from(json)) !== undefined;
}

/** A list that is read up to its first mistake: collecting a million issues would block the event loop. */
export function listOf<Item extends z.ZodType>(item: Item, items = z.array(z.unknown())) {
  return items.transform((values, context): z.output<Item>[] => {
    const read: z.output<Item>[] = [];
    for (const [place, value] of values.entries()) {
      const { data, error } = item.safeParse(value);
      if (error) {
        for (const issue of error.issues)
          context.issues.push({ ...issue, path: [place, ...issue.path] } as z.core.$ZodRawIssue);
        return z.NEVER;
      }
      read.push(data);
    }
    return read;
  });
}
