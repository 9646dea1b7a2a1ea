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

it("writes each line when it is whole, the last one at the end, and no empty ones after it", () => {
  expect(piped("a", "a\nb", "a\nb\n\n", "a\nb\n\nc", "a\nb\n\nc\n\n\n")).toEqual(["a\n", "b\n", "\nc\n"]);
});

it("writes an answer that the agent took back whole below a line that says so", () => {
  expect(piped("a\nb", "x", "x\ny", "x\ny\nz")).toEqual([
    "a\n",
    "\n[The agent restarted its answer:]\n",
    "x\ny\nz\n",
  ]);
});

it("leaves what was written as it is where there is no answer", () => {
  expect(piped("a\nb", "")).toEqual(["a\n"]);
});

it("takes escape sequences out, and comes to the whole answer, however it came", () => {
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
