/** The relative imports that may leave their workspace, by the file in which they stand. */
export const importExceptions: Readonly<Record<string, readonly string[]>> = {
  // The driver's limit is measured with the journal's own encoding, which the journal has no reason to export.
  "benchmarks/journal/raw-limits.ts": ["packages/journal/src/postgres/binary-array.ts"],
  // Broken builds wrap what the product has no reason to export.
  "chaos/breaks/early-store.ts": [
    "packages/journal/src/append/commit-plan.ts",
    "packages/journal/src/event-store.ts",
    "packages/journal/src/postgres/postgres-store.ts",
  ],
  "chaos/breaks/unfenced-store.ts": [
    "packages/journal/src/append/commit-plan.ts",
    "packages/journal/src/event-store.ts",
    "packages/journal/src/postgres/postgres-store.ts",
  ],
  "chaos/breaks/early-tails.ts": ["packages/journal/src/follow/tails.ts"],
  "chaos/breaks/forgetful-loop.ts": ["packages/agent/src/loop/agent-loop.ts"],
};
