import { describe, expect, it } from "vitest";
import { arithmeticIn } from "./arithmetic.ts";

describe("a calculation", () => {
  it.each([
    ["How much is 12 + 30?", "12 + 30", "+"],
    ["(1+2)*3 please", "(1+2)*3", undefined],
    ["7 x 6", "7 * 6", "*"],
    ["8 ÷ 2", "8 / 2", "/"],
    ["the area (which is 3*4)", "3*4", "*"],
    ["add 4 and 6", "4 + 6", "+"],
    ["seven times six", "7 * 6", "*"],
    ["subtract 2 from 10", "10 - 2", "-"],
    ["the sum of 1, 2 and 3.5", "1 + 2 + 3.5", "+"],
    ["divide 9 by 3", "9 / 3", "/"],
    ["15% of 80 plus 4", "15 / 100 * 80 + 4", undefined],
    ["20 minus 5 plus 3", "20 - 5 + 3", undefined],
    ["the square root of 2", "2 ^ 0.5", "^"],
    ["3 squared times 2", "3 ^ 2 * 2", undefined],
    ["the average of 1, 2, and 6", "(1 + 2 + 6) / 3", undefined],
  ])("is read from %j", (sentence, expression, operator) => {
    expect(arithmeticIn(sentence, [])).toMatchObject({ expression, operator });
  });

  it.each([
    ["Sum them up", "8 + 9"],
    ["multiply it by 3", "9 * 3"],
    ["subtract that from 20", "20 - 9"],
    ["the product of them all", "7 * 8 * 9"],
    ["divide the result by 2", "9 / 2"],
  ])("in %j points at earlier numbers (S1.20)", (sentence, expression) => {
    expect(arithmeticIn(sentence, [7, 8, 9])?.expression).toBe(expression);
  });

  it.each([
    "Add a ticket",
    "add 2 tickets",
    "add 2 apples and 3 pears",
    "add 2 of AB-12",
    "on 2026-05-01",
    "show 3 pods",
    "",
    "them",
    "Sum them up",
  ])("is not in %j when nothing was said before", (sentence) => {
    expect(arithmeticIn(sentence, [])).toBeUndefined();
  });
});
