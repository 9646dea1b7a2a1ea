import type { Part } from "@parley/a2a";

/** Where the content of a sub-agent's artifact goes. Each call resolves when there is room for more. */
export interface ArtifactTarget {
  readonly text: string;
  /** How long that is, without putting it together. */
  readonly length: number;
  append(parts: readonly Part[]): Promise<void>;
  /** Takes back what is there, and begins anew with these parts. */
  replace(parts: readonly Part[]): Promise<void>;
  /** Brings it to these parts: by appending where that is enough, so that a reader sees no flicker. */
  bringTo(parts: readonly Part[]): Promise<void>;
  /** Notes that the sub-agent has marked its end. */
  close(): Promise<void>;
}

export function isPlainText(part: Part): part is { readonly text: string } {
  return part.text !== undefined && Object.keys(part).length === 1;
}

/** These parts with neighbouring texts as one. */
export function joinedText(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last && isPlainText(last) && isPlainText(part))
      joined[joined.length - 1] = { text: last.text + part.text };
    else joined.push(part);
  }
  return joined;
}
