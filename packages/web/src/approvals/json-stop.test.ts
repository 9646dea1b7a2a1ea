import fc from "fast-check";
import { expect, it } from "vitest";
import { jsonStop } from "./json-stop.ts";

const parses = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

it("jsonStop agrees with the browser on what is valid JSON, for any input", () => {
  const damaged = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom("", ",", "}", '"', "\\", "\n", "0", "x", ":"))
    .map(([text, place, sign]) => {
      const at = place % (text.length + 1);
      return text.slice(0, at) + sign + text.slice(at + (sign === "" ? 1 : 0));
    });
  fc.assert(
    fc.property(damaged, (text) => {
      expect([text, jsonStop(text) === undefined]).toEqual([text, parses(text)]);
    }),
    { numRuns: 1_000 },
  );
});
