import type { Evidence, InjectedFault, SessionEntry } from "../evidence/evidence.ts";
import { runsIn } from "../evidence/recorded-runs.ts";
import { type Fault, NODES, type NodeName } from "../schedule/fault.ts";
import { type Finding, findingOn, type Invariant, together, type Violation } from "./invariant.ts";

const WITHIN_MS = 15_000;
/** Time to reconnect and restart after a fault. */
const RECOVERY_MS = 5_000;

/**
 * A run whose node was killed, or that nobody had taken yet, is taken before some node has been well together with the
 * database for so long, without a break; and in the end none is left.
 */
export const takeover: Invariant = {
  id: "6",
  promise: "a run in flight at a crash resumes, or ends with a reason, within 15 s",
  check: (evidence) => together(takenInTime(evidence), begunInTime(evidence), allEnded(evidence)),
};

function takenInTime(evidence: Evidence): Finding {
  const ends = new Map(runsIn(evidence).map(({ id, ends: [end] }) => [`run/${id}`, end]));
  const kills = evidence.faults.filter(
    ({ fault }) => fault.kind === "kill" && fault.target.startsWith("node"),
  );
  const orphans = kills.flatMap((kill) => orphansOf(evidence, kill).map((stream) => ({ kill, stream })));
  return findingOn(orphans, ({ kill, stream }) => {
    const taken = takenAfter(evidence, stream, kill.began);
    // A run that was already complete needs no takeover.
    if (taken === undefined && ends.get(stream)) return undefined;
    return leftLying(evidence, {
      stream,
      from: kill.began,
      to: taken,
      why: `after the kill of ${kill.life}`,
    });
  });
}

function begunInTime(evidence: Evidence): Finding {
  const own = runsIn(evidence).filter(({ id }) => id.startsWith("run_"));
  const writes = Map.groupBy(evidence.writes, ({ stream }) => stream);
  return findingOn(own, ({ id, sessionId, entries: [start], ends: [end] }) => {
    // By the database's clock: a node's own may be an hour off.
    const written = (entry: SessionEntry | undefined) =>
      entry && writes.get(`session/${sessionId}`)?.find(({ last }) => last >= entry.index)?.at;
    const from = written(start);
    const stream = `run/${id}`;
    const to = takenAfter(evidence, stream, 0) ?? written(end);
    return from === undefined
      ? undefined
      : leftLying(evidence, { stream, from, to, why: "after it was asked for" });
  });
}

interface Wait {
  readonly stream: string;
  readonly from: number;
  /** Undefined if it never ended. */
  readonly to: number | undefined;
  readonly why: string;
}

function leftLying({ faults, calmAt }: Evidence, { stream, from, to, why }: Wait): Violation | undefined {
  const until = to ?? calmAt + 2 * WITHIN_MS;
  for (const node of NODES) {
    const wellMs = longestWell(faults, node, from, until);
    if (wellMs > WITHIN_MS)
      return {
        what: `${why} nobody took the run, though ${node} was well for ${Math.round(wellMs)} ms`,
        ...{ stream, expected: `at most ${WITHIN_MS} ms`, found: `${Math.round(until - from)} ms in all` },
      };
  }
  return undefined;
}

function takenAfter({ leases }: Evidence, stream: string, after: number): number | undefined {
  return leases.find((lease) => lease.stream === stream && lease.isTaken && lease.at > after)?.at;
}

/** The runs that this node owned when it was killed. */
function orphansOf({ leases }: Evidence, { began, life }: InjectedFault): string[] {
  const owners = new Map<string, string | undefined>();
  for (const { stream, at, isTaken, application } of leases)
    if (stream.startsWith("run/") && at < began) owners.set(stream, isTaken ? application : undefined);
  return [...owners].filter(([, owner]) => owner === life).map(([stream]) => stream);
}

/** The longest fault-free time of this node, the database and their connection between two moments. */
function longestWell(faults: readonly InjectedFault[], node: NodeName, from: number, to: number): number {
  const hits = faults.filter(({ fault }) => isInTheWay(fault, node)).sort((a, b) => a.began - b.began);
  let well = from;
  let longest = 0;
  for (const { began, ended } of hits) {
    longest = Math.max(longest, Math.min(began, to) - well);
    well = Math.max(well, ended + RECOVERY_MS);
  }
  return Math.max(longest, to - well);
}

function isInTheWay(fault: Fault, node: NodeName): boolean {
  switch (fault.kind) {
    case "kill":
      return fault.target === node || fault.target === "postgres";
    case "pause":
      return fault.target === node;
    case "restart-postgres":
      return true;
    case "full-disk":
      return fault.disk === "postgres";
    case "cut":
      return fault.hop === `${node}→postgres`;
    case "clock":
    case "duplicates":
    case "slow-reader":
      return false;
    default:
      return fault satisfies never;
  }
}

function allEnded(evidence: Evidence): Finding {
  return findingOn(runsIn(evidence), ({ id, sessionId, ends, question, entries }) =>
    ends.length > 0
      ? undefined
      : {
          what: `run ${id} has not ended long after all was quiet (${question})`,
          ...{ session: sessionId, index: entries.at(-1)?.index ?? 0 },
        },
  );
}
