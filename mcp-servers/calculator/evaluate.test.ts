import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ToolFailure } from "../tool-answer.ts";
import { evaluate } from "./evaluate.ts";

describe("the calculator", () => {
  it.each([
    ["2+2", 4],
    ["3 + 3", 6],
    ["4 + 6", 10],
    ["2 + 3 * 4", 14],
    ["(2 + 3) * 4", 20],
    ["10 - 4 - 3", 3],
    ["100 / 10 / 2", 5],
    ["2^3^2", 512],
    ["-2^2", -4],
    ["(-2)^2", 4],
    ["2^-1", 0.5],
    ["2**10", 1_024],
    ["--3", 3],
    ["2 - -3", 5],
    ["0.1 + 0.2", 0.3],
    ["1e3 + .5", 1_000.5],
    ["5!", 120],
    ["3!!", 720],
    ["15% of 80", 12],
    ["50%", 0.5],
    ["200 * 10%", 20],
    ["10 % 3", 1],
    ["-7 mod 3", 2],
    ["2(3 + 4)", 14],
    ["2 pi", 2 * Math.PI],
    ["(1 + 1)(2 + 2)", 8],
    ["6 × 7", 42],
    ["84 ÷ 2", 42],
    ["5 − 3", 2],
    ["sqrt(16) + cbrt(27)", 7],
    ["SQRT(2)^2", 2],
    ["min(3, 1, 2) + max(3, 1, 2)", 4],
    ["mean(1, 2, 3, 4)", 2.5],
    ["median(3, 1, 2)", 2],
    ["median(4, 1, 2, 3)", 2.5],
    ["round(1.005, 2)", 1.01],
    ["round(1234, -2)", 1_200],
    ["log(1000)", 3],
    ["log(8, 2)", 3],
    ["sin(pi / 2)", 1],
    ["123456789 * 987654321", 1.21932631112635e17],
    ["9007199254740991", 9_007_199_254_740_991],
  ])("evaluates %s to %d", (expression, value) => {
    expect(evaluate(expression)).toBeCloseTo(value, 12);
  });

  it.each([
    ["", /is empty/],
    ["2 +", /ends where a number is expected/],
    ["* 3", /A number is expected at position 1, in place of \*/],
    ["(1 + 2", /parenthesis of position 1 is never closed/],
    ["1 + 2)", /\) at position 6 is not expected/],
    ["2 3", /3 at position 3 is not expected/],
    ["1 / 0", /divided by zero/],
    ["0 ^ -1", /divided by zero/],
    ["5 % 0", /divided by zero/],
    ["sqrt(-1)", /not a real number/],
    ["(-8)^0.5", /not a real number/],
    ["ln(0)", /needs a number above 0/],
    ["10^400", /too large/],
    ["171!", /too large/],
    ["2.5!", /needs a whole number/],
    ["frobnicate(1)", /frobnicate at position 1 is not known. Known are: sqrt/],
    ["sqrt 4", /needs its argument in parentheses/],
    ["sqrt()", /takes 1 arguments, and was given 0/],
    ["pow(1)", /takes 2 arguments/],
    ["2 & 3", /character "&" at position 3/],
    ["process.exit()", /process at position 1 is not known|character "\."/],
    ["constructor", /is not known/],
    ["1; 2", /character ";" at position 2/],
    ["🔧", /character "🔧"/],
    ["(".repeat(5_000), /nested deeper/],
    [`${"2^".repeat(4_000)}2`, /nested deeper/],
    ["1+".repeat(6_000), /longer than/],
  ])("refuses %s with a reason", (expression, reason) => {
    expect(() => evaluate(expression)).toThrow(ToolFailure);
    expect(() => evaluate(expression)).toThrow(reason);
  });

  it("evaluates long chains without exhausting the stack", () => {
    expect(evaluate(`${"-".repeat(9_000)}1`)).toBe(1);
    expect(evaluate(`1${"+1".repeat(4_000)}`)).toBe(4_001);
  });

  it("answers any input with a finite number or a reason", () => {
    const pieces = fc.constantFrom(
      "1",
      "2.5",
      "+",
      "-",
      "*",
      "/",
      "^",
      "(",
      ")",
      "%",
      "!",
      ",",
      "sqrt",
      "pi",
      " ",
      "mod",
      "of",
    );
    const text = fc.array(fc.oneof(pieces, fc.string({ maxLength: 3 })), { maxLength: 20 });
    fc.assert(
      fc.property(text, (parts) => {
        try {
          expect(evaluate(parts.join(""))).toSatisfy(Number.isFinite);
        } catch (error) {
          if (!(error instanceof ToolFailure)) throw error;
        }
      }),
      { numRuns: 3_000 },
    );
  });
});
