import { ToolFailure } from "../tool-answer.ts";

/** A function of the calculator, with how many arguments it takes. */
export interface CalculatorFunction {
  readonly least: number;
  readonly most: number;
  readonly apply: (...values: number[]) => number;
}

function one(apply: (value: number) => number): CalculatorFunction {
  return { least: 1, most: 1, apply };
}

function many(apply: (...values: number[]) => number): CalculatorFunction {
  return { least: 1, most: 1_000, apply };
}

const sum = (...values: number[]) => values.reduce((total, value) => total + value, 0);

/** The functions by name; angles are in radians. */
export const functions: ReadonlyMap<string, CalculatorFunction> = new Map(
  Object.entries({
    sqrt: one((value) => Math.sqrt(atLeast(0, value, "sqrt"))),
    cbrt: one(Math.cbrt),
    abs: one(Math.abs),
    sign: one(Math.sign),
    floor: one(Math.floor),
    ceil: one(Math.ceil),
    trunc: one(Math.trunc),
    round: { least: 1, most: 2, apply: round },
    exp: one(Math.exp),
    ln: one((value) => Math.log(above(0, value, "ln"))),
    log: { least: 1, most: 2, apply: logarithm },
    log10: one((value) => Math.log10(above(0, value, "log10"))),
    log2: one((value) => Math.log2(above(0, value, "log2"))),
    sin: one(Math.sin),
    cos: one(Math.cos),
    tan: one(Math.tan),
    asin: one(Math.asin),
    acos: one(Math.acos),
    atan: one(Math.atan),
    min: many(Math.min),
    max: many(Math.max),
    sum: many(sum),
    mean: many((...values) => sum(...values) / values.length),
    median: many(median),
    pow: { least: 2, most: 2, apply: (base, exponent) => (base ?? 0) ** (exponent ?? 0) },
    mod: { least: 2, most: 2, apply: (value, by) => remainder(value ?? 0, by ?? 0) },
    factorial: one(factorial),
  } satisfies Record<string, CalculatorFunction>),
);

/** The constants by name. */
export const constants: ReadonlyMap<string, number> = new Map([
  ["pi", Math.PI],
  ["π", Math.PI],
  ["tau", 2 * Math.PI],
  ["e", Math.E],
]);

/** n!, for whole numbers whose factorial is a number at all. */
export function factorial(value: number): number {
  if (!Number.isInteger(value) || value < 0)
    throw new ToolFailure(`${value}! is not defined: it needs a whole number from 0 on.`);
  if (value > 170) throw new ToolFailure(`${value}! is too large: 170! is the largest that fits.`);
  let product = 1;
  for (let factor = 2; factor <= value; factor++) product *= factor;
  return product;
}

/** The remainder of a division with the sign of the divisor, as in mathematics. */
export function remainder(value: number, by: number): number {
  if (by === 0) throw new ToolFailure("Nothing can be divided by zero.");
  return value - by * Math.floor(value / by);
}

function round(value = 0, digits = 0): number {
  if (!Number.isInteger(digits) || Math.abs(digits) > 15) {
    throw new ToolFailure("round takes a number and how many digits to keep: a whole number from -15 to 15.");
  }
  // By its decimal text, because 1.005 * 100 is not 100.5.
  const shifted = Math.round(Number(`${value}e${digits}`));
  return Number.isNaN(shifted)
    ? Math.round(value * 10 ** digits) / 10 ** digits
    : Number(`${shifted}e${-digits}`);
}

function logarithm(value = 0, base = 10): number {
  return Math.log(above(0, value, "log")) / Math.log(above(0, base, "log"));
}

function median(...values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = 0, high = low] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}

function atLeast(limit: number, value: number, name: string): number {
  if (value < limit) throw new ToolFailure(`${name} of ${value} is not a real number.`);
  return value;
}

function above(limit: number, value: number, name: string): number {
  if (value <= limit) throw new ToolFailure(`${name} needs a number above ${limit}, and ${value} is not.`);
  return value;
}
