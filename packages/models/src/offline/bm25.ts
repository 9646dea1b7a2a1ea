/** A document as weights of its terms; a term that counts twice has weight 2. */
export type TermWeights = ReadonlyMap<string, number>;

const SATURATION = 1.2;
const LENGTH_INFLUENCE = 0.3;

/**
 * Scores documents for the weighted terms of queries with BM25, in the documents' order. A query costs only as much as
 * the documents that have its terms.
 */
export function bm25(documents: readonly TermWeights[]): (query: TermWeights) => number[] {
  const lengths = documents.map((document) =>
    [...document.values()].reduce((sum, weight) => sum + weight, 0),
  );
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length) || 1;
  const holdersOf = new Map<string, { index: number; count: number }[]>();
  for (const [index, document] of documents.entries()) {
    for (const [term, count] of document) {
      const holders = holdersOf.get(term);
      if (holders === undefined) holdersOf.set(term, [{ index, count }]);
      else holders.push({ index, count });
    }
  }
  return (query) => {
    const scores = documents.map(() => 0);
    for (const [term, weight] of query) {
      const holders = holdersOf.get(term) ?? [];
      const rarity = Math.log(1 + (documents.length - holders.length + 0.5) / (holders.length + 0.5));
      for (const { index, count } of holders) {
        const length = 1 - LENGTH_INFLUENCE + (LENGTH_INFLUENCE * (lengths[index] ?? 0)) / average;
        const gain = (weight * rarity * count * (SATURATION + 1)) / (count + SATURATION * length);
        scores[index] = (scores[index] ?? 0) + gain;
      }
    }
    return scores;
  };
}
