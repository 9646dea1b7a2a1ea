import type { Meter } from "@opentelemetry/api";
import type { Caller } from "../tasks/caller.ts";

/** `none`: nobody works on the task any more. */
type Dialect = Caller["dialect"] | "none";
const DIALECTS: readonly Dialect[] = ["1.0", "0.3", "0.1", "none"];

/** Counts in plain numbers, because there is one for every piece; they are read when somebody asks. */
export class StreamTally {
  chunks = 0;
  violations = 0;
  refused = 0;
  artifacts = 0;
  takeovers = 0;

  /** One for each dialect, reported also while it is zero. */
  static observed(meter: Meter, agent: string): { of(dialect: Dialect): StreamTally } {
    const tallies = new Map(DIALECTS.map((dialect) => [dialect, new StreamTally()]));
    const report = (name: string, description: string, read: (tally: StreamTally) => number) =>
      meter.createObservableCounter(name, { description }).addCallback((result) => {
        for (const [dialect, tally] of tallies) result.observe(read(tally), { agent, dialect });
      });
    report("a2a.stream.chunks", "Pieces of artifacts that were written", ({ chunks }) => chunks);
    report(
      "a2a.append.violations",
      "Pieces that extend an artifact which was never begun: always 0",
      ({ violations }) => violations,
    );
    report(
      "a2a.refused.transitions",
      "Moves and pieces that the state machine refused",
      ({ refused }) => refused,
    );
    report("a2a.artifacts.created", "Artifacts that were begun, or begun anew", ({ artifacts }) => artifacts);
    report(
      "a2a.takeovers",
      "Tasks that were gone on with here after another process had begun them",
      ({ takeovers }) => takeovers,
    );
    return { of: (dialect) => tallies.get(dialect) ?? new StreamTally() };
  }
}
