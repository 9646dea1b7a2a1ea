/** An axis: its range, and the round numbers beside it. */
export interface ValueAxis {
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly number[];
}

const ABOUT_TICKS = 5;

/** Creates an axis that covers all values and zero, and ends at round numbers. */
export function valueAxis(values: readonly number[]): ValueAxis {
  const lowest = Math.min(0, ...values);
  const highest = Math.max(0, ...values);
  const step = roundStep((highest - lowest || ABOUT_TICKS) / ABOUT_TICKS);
  const first = Math.floor(lowest / step);
  const last = Math.max(Math.ceil(highest / step), first + 1);
  const ticks = Array.from({ length: last - first + 1 }, (_, at) => rounded((first + at) * step));
  return { from: ticks[0] ?? 0, to: ticks.at(-1) ?? 1, ticks };
}

/** A number as people write it. */
export function numberText(value: number): string {
  const size = Math.abs(value);
  const isPlain = size === 0 || (size >= 1e-4 && size < 1e9);
  return isPlain ? rounded(value).toLocaleString("en", { maximumFractionDigits: 6 }) : value.toExponential(2);
}

/** 1, 2 or 5, or these times a power of ten: the next that is not smaller. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  const factor = [1, 2, 5, 10].find((one) => one * power >= step * (1 - 1e-9)) ?? 10;
  return factor * power;
}

// Without the last digits, which are rounding noise.
function rounded(value: number): number {
  return Number(value.toPrecision(12));
}
