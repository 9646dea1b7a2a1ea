const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/**
 * Whether JSON text is nested deeper than this. A scan, before anything recursive meets the text: what is
 * 20,000 levels deep would overflow its stack.
 */
export function isDeeperThan(limit: number, json: string): boolean {
  let depth = 0;
  for (let position = 0; position < json.length; position++) {
    const character = json.charCodeAt(position);
    if (character === QUOTE) position = endOfString(json, position);
    else if (OPENING.has(character)) {
      if (++depth > limit) return true;
    } else if (CLOSING.has(character)) depth--;
  }
  return false;
}

function endOfString(json: string, start: number): number {
  for (let position = start + 1; position < json.length; position++) {
    const character = json.charCodeAt(position);
    if (character === BACKSLASH) position++;
    else if (character === QUOTE) return position;
  }
  return json.length;
}
