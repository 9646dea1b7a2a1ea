/** A promise about performance: a ratio measured within one run. */
export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly wanted: "at least" | "at most";
  readonly bar: number;
  readonly ok: boolean;
}

export function atLeast(name: string, value: number, bar: number): Bar {
  return { name, value: round(value), wanted: "at least", bar, ok: value >= bar };
}

export function atMost(name: string, value: number, bar: number): Bar {
  return { name, value: round(value), wanted: "at most", bar, ok: value <= bar };
}

/** Prints one figure as a line of JSON. */
export function print(figure: object): void {
  console.log(JSON.stringify(figure));
}

/** Prints progress to standard error; only the figures go to standard output. */
export function progress(text: string): void {
  process.stderr.write(`… ${text}\n`);
}

/** Prints the bars as the last line and sets the exit code. */
export function finish(bench: string, bars: readonly Bar[]): void {
  print({ bench, bars });
  if (bars.some(({ ok }) => !ok)) process.exitCode = 1;
}

export function round(value: number, digits = 3): number {
  return Number(value.toPrecision(digits));
}

/** The median of the values. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
