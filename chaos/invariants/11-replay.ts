import { difference, findingOn, type Invariant } from "./invariant.ts";

/** The projection's tables equal those rebuilt from the log. */
export const replay: Invariant = {
  id: "11",
  promise: "replay(log) equals the live projection",
  check: ({ tables: { live, rebuilt } }) =>
    findingOn(
      Object.entries(live).flatMap(([table, rows]) =>
        Array.from({ length: Math.max(rows.length, rebuilt[table]?.length ?? 0) }, (_, place) => ({
          table,
          expected: JSON.stringify(rebuilt[table]?.[place]) ?? "no row",
          found: JSON.stringify(rows[place]) ?? "no row",
        })),
      ),
      ({ table, expected, found }) =>
        expected === found
          ? undefined
          : { what: `a row of ${table} is not what the log says`, ...difference(expected, found) },
    ),
};
