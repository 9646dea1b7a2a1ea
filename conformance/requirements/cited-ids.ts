const FEATURES = /\bS(\d)\.(\d+)(?:–(\d+))?/g;
const OURS = /(?<![\w.])\+(\d+)\b/g;
const INVARIANTS = /\binvariants? (\d+(?:(?:, | and |–)\d+)*)/g;
const MISTAKES = /\b([WD])(\d+)(?:–(\d+))?\b/g;
const SPECIFICATION = /\b(A2A-[A-Z]+)-(\d+)(?:–(\d+))?/g;

/** The ids of requirements that a test's title cites; a range such as "S1.3–9" cites each of them. */
export function citedIds(title: string): string[] {
  return [
    ...matches(title, FEATURES, ([, seed, first, last]) => range(`S${seed}.`, first, last)),
    ...matches(title, OURS, ([, number]) => [`+${number}`]),
    ...matches(title, INVARIANTS, ([, list = ""]) =>
      list.split(/, | and /).flatMap((numbers) => range("invariant ", ...bounds(numbers))),
    ),
    ...matches(title, MISTAKES, ([, letter, first, last]) => range(`${letter}`, first, last)),
    ...matches(title, SPECIFICATION, ([, name, first, last]) => range(`${name}-`, first, last)),
  ];
}

function matches(
  title: string,
  pattern: RegExp,
  idsOf: (match: readonly (string | undefined)[]) => string[],
): string[] {
  return [...title.matchAll(pattern)].flatMap(idsOf);
}

function bounds(numbers: string): [first?: string, last?: string] {
  const [first = "", last = first] = numbers.split("–");
  return [first, last];
}

function range(prefix: string, first = "", last = first): string[] {
  const count = Math.max(1, Number(last) - Number(first) + 1);
  return Array.from({ length: count }, (_, n) => `${prefix}${Number(first) + n}`);
}
