import { expect, it } from "vitest";
import { bm25 } from "./bm25.ts";

const documents = [
  new Map([
    ["list", 1],
    ["ticket", 3],
  ]),
  new Map([
    ["close", 3],
    ["ticket", 1],
  ]),
  new Map([
    ["list", 1],
    ["file", 3],
  ]),
];

it("gives most to the document with most of a term, and nothing to one without", () => {
  const [list, close, file] = bm25(documents)(new Map([["ticket", 1]]));
  expect(list).toBeGreaterThan(close ?? 0);
  expect(close).toBeGreaterThan(0);
  expect(file).toBe(0);
});

it("counts a rare term for more than a common one", () => {
  const [, close] = bm25(documents)(
    new Map([
      ["close", 1],
      ["ticket", 1],
    ]),
  );
  const [list] = bm25(documents)(
    new Map([
      ["list", 1],
      ["ticket", 1],
    ]),
  );
  expect(close).toBeGreaterThan(list ?? 0);
});

it("takes no documents and no terms", () => {
  expect(bm25([])(new Map([["a", 1]]))).toEqual([]);
  expect(bm25([new Map()])(new Map())).toEqual([0]);
});
