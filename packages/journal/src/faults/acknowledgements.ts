import { expect } from "vitest";
import { readAll, upTo } from "../contract/journal-fixture.ts";
import type { Journal } from "../journal.ts";

/** Every printed acknowledgement leads to its event, every token is there once, and indices are 1..n. */
export async function checkAcknowledged(journal: Journal, lines: readonly string[]): Promise<number> {
  const byStream = Map.groupBy(
    lines.map((line): [string, number, string] => JSON.parse(line)),
    ([stream]) => stream,
  );
  for (const [stream, acknowledged] of byStream) {
    const log = await readAll(journal, stream, 5_000);
    expect(log.map(({ index }) => index)).toEqual(upTo(log.length));
    const tokens = log.flatMap(({ payload }) => String(payload).match(/<[^<>]*>(?!first)/g) ?? []);
    expect(new Set(tokens).size).toBe(tokens.length);
    const lost = acknowledged.filter(([, index, token]) => !String(log[index - 1]?.payload).includes(token));
    expect(lost).toEqual([]);
  }
  return lines.length;
}
