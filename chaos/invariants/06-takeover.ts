import type { Evidence, InjectedFault } from "../evidence/evidence.ts";
import { runsIn } from "../evidence/recorded-runs.ts";
import { type Finding, findingOn, type Invariant, together } from "./invariant.ts";

const WITHIN_MS = 15_000;

/** When a node is killed, each run of its is taken by another process, or has ended, in time; and in the end none is left. */
export const takeover: Invariant = {
  id: "6",
  promise: "a run in flight at a crash resumes, or ends with a reason, within 15 s",
  check: (evidence) => together(takenInTime(evidence), allEnded(evidence)),
};

function takenInTime(evidence: Evidence): Finding {
  const ends = new Map(runsIn(evidence).map(({ id, ends: [end] }) => [`run/${id}`, end?.index]));
  const kills = evidence.faults.filter(
    ({ fault }) => fault.kind === "kill" && fault.target.startsWith("node"),
  );
  const orphans = kills.flatMap((kill) => orphansOf(evidence, kill).map((stream) => ({ kill, stream })));
  return findingOn(orphans, ({ kill, stream }) => {
    const next = evidence.leases.find(
      (lease) => lease.stream === stream && lease.isTaken && lease.at > kill.began,
    );
    const allowed = WITHIN_MS + otherTrouble(evidence.faults, kill);
    const took = (next?.at ?? evidence.calmAt + WITHIN_MS) - kill.began;
    // A run whose last word was already written has nothing to go on with.
    if (took <= allowed || (next === undefined && ends.get(stream) !== undefined)) return undefined;
    return {
      what: `after the kill of ${kill.life} nobody took the run for ${Math.round(took)} ms`,
      ...{ stream, expected: `at most ${allowed} ms` },
    };
  });
}

/** The runs that this node owned when it was killed. */
function orphansOf({ leases }: Evidence, { began, life }: InjectedFault): string[] {
  const owners = new Map<string, string | undefined>();
  for (const { stream, at, isTaken, application } of leases)
    if (stream.startsWith("run/") && at < began) owners.set(stream, isTaken ? application : undefined);
  return [...owners].filter(([, owner]) => owner === life).map(([stream]) => stream);
}

/** How long, meanwhile, the database or the nodes had other trouble: nobody can take over then. */
function otherTrouble(faults: readonly InjectedFault[], kill: InjectedFault): number {
  let sum = 0;
  for (const other of faults) {
    const isClients = other.fault.kind === "slow-reader" || other.fault.kind === "duplicates";
    if (other === kill || isClients || other.ended < kill.began || other.began > kill.began + 2 * WITHIN_MS)
      continue;
    // After it there is reconnecting, restarting, and a lease that runs out anew.
    sum += other.ended - Math.max(other.began, kill.began) + WITHIN_MS / 2;
  }
  return sum;
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
