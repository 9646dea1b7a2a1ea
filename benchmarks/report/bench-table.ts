import type { Bar } from "./bars.ts";

const BEGIN = "<!-- bench:begin -->";
const END = "<!-- bench:end -->";
const HEAD = ["| benchmark | what | measured | bar | on |", "|---|---|---|---|---|"];

/** The result of one benchmark; without bars it did not finish. */
export interface BenchResult {
  readonly bench: string;
  readonly bars: readonly Bar[] | undefined;
}

/** When and where it was measured. */
export interface Measuring {
  /** As 2027-01-31. */
  readonly date: string;
  readonly machine: string;
}

/** The text with these results in its table between the markers; rows of benchmarks that were not run stay. Throws without markers. */
export function withResults(
  text: string,
  results: readonly BenchResult[],
  { date, machine }: Measuring,
): string {
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`The text needs ${BEGIN} and, after it, ${END}`);
  const measured = new Set(results.map(({ bench }) => bench));
  const kept = rowsIn(text.slice(begin, end)).filter((row) => !measured.has(benchOf(row)));
  const rows = [...kept, ...results.flatMap((result) => rowsOf(result, date))];
  const sorted = rows.toSorted((one, other) => (benchOf(one) < benchOf(other) ? -1 : 1));
  const table = [...HEAD, ...sorted].join("\n");
  return `${text.slice(0, begin)}${BEGIN}\n${table}\n\nLast measured on ${machine}.\n${text.slice(end)}`;
}

function rowsIn(section: string): string[] {
  return section.split("\n").filter((line) => line.startsWith("| `"));
}

function benchOf(row: string): string {
  return /^\| `([^`]+)`/.exec(row)?.[1] ?? "";
}

function rowsOf({ bench, bars }: BenchResult, date: string): string[] {
  if (!bars) return [`| \`${bench}\` | did not get to its end | ✗ | | ${date} |`];
  return bars.map(
    ({ name, value, wanted, bar, ok }) =>
      `| \`${bench}\` | ${name} | ${ok ? "✓" : "✗"} ${value} | ${wanted} ${bar} | ${date} |`,
  );
}
