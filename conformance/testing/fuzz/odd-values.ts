import type { Random } from "./random.ts";

/** Unlikely ids: paths, escapes, control characters, names of object members. */
export const ODD_TEXTS = [
  "",
  " ",
  "../../etc/passwd",
  "a/b/c",
  "%2e%2e%2f",
  "%zz",
  "%00",
  "\u0000",
  "\u0007\u001b[2J",
  "\u202e\u200b\ufeff",
  "\ud800",
  "x\udc00y",
  "__proto__",
  "constructor",
  "toString",
  "NaN",
  "-Infinity",
  "1e999",
  "null",
  "undefined",
  "';drop table tasks;--",
  "\r\nX-Injected: yes",
  "😀".repeat(300),
  "x".repeat(5_000),
  "TASK_STATE_UNSPECIFIED",
  "2026-02-30T25:61:61Z",
];

const ODD_NUMBERS = [0, -0, -1, 1.5, -1e308, 1e308, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 2 ** 63, 1e-320];

/** A value that is seldom what was expected. */
export function oddValue(random: Random): unknown {
  switch (random.below(12)) {
    case 0:
      return null;
    case 1:
      return random.pick([true, false]);
    case 2:
      return random.pick(ODD_NUMBERS);
    case 3:
      return {};
    case 4:
      return [];
    case 5:
      return Array.from({ length: random.pick([1, 100, 5_000]) }, () => random.pick([null, 0, "", {}, []]));
    case 6:
      return { [random.pick(ODD_TEXTS)]: random.pick(ODD_TEXTS) };
    case 7:
      return JSON.parse(
        '{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}',
      );
    case 8:
      return nested(random.pick([2, 20, 55, 70]), random);
    case 9:
      return [[random.pick(ODD_TEXTS)]];
    default:
      return random.pick(ODD_TEXTS);
  }
}

function nested(depth: number, random: Random): unknown {
  let value: unknown = random.pick(ODD_TEXTS);
  for (let level = 0; level < depth; level++) value = random.percent(50) ? [value] : { n: value };
  return value;
}
