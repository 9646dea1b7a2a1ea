/** A document as weights of its terms; a term that counts twice has weight 2. */
export type TermWeights = ReadonlyMap<string, number>;

const SATURATION = 1.2;
const LENGTH_INFLUENCE = 0.3;

/** Scores every document for the weighted terms of a query with BM25, in the documents' order. */
export function bm25(documents: readonly TermWeights[], query: TermWeights): number[] {
  const lengths = documents.map((document) =>
    [...document.values()].reduce((sum, weight) => sum + weight, 0),
  );
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length) || 1;
  const terms = [...query].map(([term, weight]) => ({ term, weight: weight * rarity(documents, term) }));
  return documents.map((document, index) => {
    const length = 1 - LENGTH_INFLUENCE + (LENGTH_INFLUENCE * (lengths[index] ?? 0)) / average;
    return terms.reduce((score, { term, weight }) => {
      const count = document.get(term) ?? 0;
      return score + (weight * count * (SATURATION + 1)) / (count + SATURATION * length);
    }, 0);
  });
}

function rarity(documents: readonly TermWeights[], term: string): number {
  const holders = documents.filter((document) => document.has(term)).length;
  return Math.log(1 + (documents.length - holders + 0.5) / (holders + 0.5));
}
