import type { Histogram, Meter } from "@opentelemetry/api";
import type { TaskState } from "../protocol/model.ts";
import type { Caller } from "../tasks/caller.ts";
import type { StartedTurn, TaskObserver } from "../tasks/task-observer.ts";
import { isTerminal } from "../tasks/task-states.ts";

/** Pieces that follow each other faster are measured together, by their mean: one piece costs 1 µs to record. */
const MEASURE_EVERY_MS = 5;
const LATENCY_BOUNDS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000];
const DURATION_BOUNDS_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800, 3_600];

interface Turn extends Pick<StartedTurn, "dialect"> {
  readonly tally: StreamTally;
  readonly began: number;
  /** A second opinion on which artifacts exist, independent of the ledger that decides. */
  readonly artifacts: Set<string>;
  measured: number;
  sinceMeasured: number;
}

/** Counts what happens to the tasks of an agent; labels are the agent and the dialect, never a task. */
export function metricObserver(meter: Meter, agent: string): TaskObserver {
  const tallies = StreamTally.observed(meter, agent);
  const latency = meter.createHistogram("a2a.stream.latency.ms", {
    description: "Time between two pieces of a task's artifacts",
    advice: { explicitBucketBoundaries: LATENCY_BOUNDS_MS },
  });
  const duration = meter.createHistogram("a2a.execution.duration.seconds", {
    description: "How long a turn of work took",
    advice: { explicitBucketBoundaries: DURATION_BOUNDS_SECONDS },
  });
  const ended = meter.createCounter("a2a.tasks", { description: "Tasks that have ended, by their state" });
  const turns = new Map<string, Turn>();
  return {
    started(taskId, { dialect, artifactIds, resumed }) {
      const began = performance.now();
      const artifacts = new Set(artifactIds);
      const tally = tallies.of(dialect);
      if (resumed) tally.takeovers++;
      turns.set(taskId, { tally, dialect, began, artifacts, measured: began, sinceMeasured: 0 });
    },
    chunk(taskId, { artifactId }, _content, append) {
      const turn = turns.get(taskId);
      if (!turn) return;
      turn.tally.chunks++;
      if (append && !turn.artifacts.has(artifactId)) turn.tally.violations++;
      turn.artifacts.add(artifactId);
      measure(turn, latency, agent);
    },
    artifactCreated(taskId) {
      const turn = turns.get(taskId);
      if (turn) turn.tally.artifacts++;
    },
    refused(taskId) {
      const { tally } = turns.get(taskId) ?? { tally: tallies.of("none") };
      tally.refused++;
    },
    ended(taskId, state) {
      const turn = turns.get(taskId);
      turns.delete(taskId);
      const labels = { agent, dialect: turn?.dialect ?? "none", state: nameOf(state) };
      if (turn) duration.record((performance.now() - turn.began) / 1_000, labels);
      if (isTerminal(state)) ended.add(1, labels);
    },
    failed() {},
  };
}

function measure(turn: Turn, latency: Histogram, agent: string): void {
  turn.sinceMeasured++;
  const now = performance.now();
  const elapsed = now - turn.measured;
  if (elapsed < MEASURE_EVERY_MS) return;
  latency.record(elapsed / turn.sinceMeasured, { agent, dialect: turn.dialect });
  turn.measured = now;
  turn.sinceMeasured = 0;
}

function nameOf(state: TaskState): string {
  return state.slice("TASK_STATE_".length).toLowerCase();
}

/** `none`: the task has no active execution. */
type Dialect = Caller["dialect"] | "none";
const DIALECTS: readonly Dialect[] = ["1.0", "0.3", "0.1", "none"];

/** Counts in plain numbers, because there is one for every piece; they are read on collection. */
class StreamTally {
  chunks = 0;
  violations = 0;
  refused = 0;
  artifacts = 0;
  takeovers = 0;

  /** One for each dialect, reported also while it is zero. */
  static observed(meter: Meter, agent: string): { of(dialect: Dialect): StreamTally } {
    const tallies = new Map(DIALECTS.map((dialect) => [dialect, new StreamTally()]));
    const report = (name: string, description: string, count: keyof StreamTally) =>
      meter.createObservableCounter(name, { description }).addCallback((result) => {
        for (const [dialect, tally] of tallies) result.observe(tally[count], { agent, dialect });
      });
    report("a2a.stream.chunks", "Pieces of artifacts that were written", "chunks");
    const violations = "Pieces that extend an artifact which was never begun: always 0";
    report("a2a.append.violations", violations, "violations");
    report("a2a.refused.transitions", "Moves and pieces that the state machine refused", "refused");
    report("a2a.artifacts.created", "Artifacts that were begun, or begun anew", "artifacts");
    const takeovers = "Tasks that were gone on with here after another process had begun them";
    report("a2a.takeovers", takeovers, "takeovers");
    return { of: (dialect) => tallies.get(dialect) ?? new StreamTally() };
  }
}
