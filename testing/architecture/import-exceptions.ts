/** The relative imports that may leave their workspace, by the file in which they stand. */
export const importExceptions: Readonly<Record<string, readonly string[]>> = {
  // The driver's limit is measured with the journal's own encoding, which the journal has no reason to export.
  "benchmarks/journal/raw-limits.ts": ["packages/journal/src/postgres/binary-array.ts"],
};
