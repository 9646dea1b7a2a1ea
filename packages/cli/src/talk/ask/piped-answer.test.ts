import fc from "fast-check";
import { expect, it } from "vitest";
import { PipedAnswer } from "./piped-answer.ts";

/** What each look at a growing answer adds to a pipe. */
function piped(...looks: readonly string[]) {
  const written: string[] = [];
  const answer = new PipedAnswer({ write: (text) => written.push(text) });
  const last = looks.at(-1) ?? "";
  for (const look of looks.slice(0, -1)) answer.grow(look);
  answer.end(last);
  return written;
}

it("PipedAnswer writes each line when it is complete, the last one at the end, and no trailing empty lines", () => {
  expect(piped("a", "a\nb", "a\nb\n\n", "a\nb\n\nc", "a\nb\n\nc\n\n\n")).toEqual(["a\n", "b\n", "\nc\n"]);
});

it("PipedAnswer writes a restarted answer again as a whole, below a note", () => {
  expect(piped("a\nb", "x", "x\ny", "x\ny\nz")).toEqual([
    "a\n",
    "\n[The agent restarted its answer:]\n",
    "x\ny\nz\n",
  ]);
});

it("PipedAnswer leaves its output unchanged if there is no answer", () => {
  expect(piped("a\nb", "")).toEqual(["a\n"]);
});

it("PipedAnswer removes escape sequences, and writes the whole answer however it is split", () => {
  expect(piped("\u001b[31mred\nrest", "\u001b[31mred\nrest").join("")).toBe("red\nrest\n");
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", "b ", "\n", "\n\n", "c\n")), (pieces) => {
      const looks = pieces.map((_, at) => pieces.slice(0, at + 1).join(""));
      const written = piped(...looks, pieces.join("")).join("");
      expect(written.trimEnd()).toBe(pieces.join("").trimEnd());
      expect(written).toMatch(/^$|\S ?\n$/);
    }),
  );
});
