const UNITS = ["kB", "MB", "GB"] as const;

/** A size as people say it: 812 B, 14 kB, 3.2 MB. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  let value = bytes;
  let unit: string = "B";
  for (const next of UNITS) {
    if (value < 1_000) break;
    value /= 1_000;
    unit = next;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}
