import { type Evidence, sessionsIn } from "../evidence/evidence.ts";
import { runsIn } from "../evidence/recorded-runs.ts";
import { LIBRARIAN } from "../world/agent-files.ts";
import { FORGED } from "../world/forger.ts";
import { CREW } from "../world/keys.ts";
import { LETTER } from "../world/spoken-words.ts";
import { type Finding, findingOn, type Invariant, together } from "./invariant.ts";

/** A sub-agent does not write the supervisor's plan, and an agent with files has a folder for each workspace. */
export const nothingFromElsewhere: Invariant = {
  id: "E",
  promise: "no sub-agent writes the supervisor's plan, and no workspace reads another's files",
  check: (evidence) => {
    const findings = [forgedPlans(evidence), foreignFiles(evidence)];
    // Both halves must be exercised.
    return findings.every(({ checked }) => checked > 0)
      ? together(...findings)
      : { checked: 0, violations: findings.flatMap(({ violations }) => violations) };
  },
};

function forgedPlans(evidence: Evidence): Finding {
  const forged = [...sessionsIn(evidence)].filter(([, entries]) =>
    entries.some(({ event }) => JSON.stringify(event).includes(FORGED)),
  );
  return findingOn(forged, ([session, entries]) => {
    const plan = entries.find(
      ({ event }) => event.type === "agent_plan" && JSON.stringify(event).includes(FORGED),
    );
    return plan && { what: "a sub-agent has written the plan", session, index: plan.index };
  });
}

function foreignFiles(evidence: Evidence): Finding {
  const sessions = sessionsIn(evidence);
  const workspaceOf = (id: string) => {
    const created = sessions.get(id)?.[0]?.event;
    return created?.type === "session_created" ? created.workspace : undefined;
  };
  const runs = runsIn(evidence)
    .filter(({ start }) => start.agent === LIBRARIAN)
    .map((run) => ({ ...run, workspace: workspaceOf(run.sessionId) }));
  const readers = runs.filter(({ entries }) => JSON.stringify(entries).includes(LETTER));
  // If the crew could not read its own file, an intruder's failure proves nothing.
  if (!readers.some(({ workspace }) => workspace === CREW)) return { checked: 0, violations: [] };
  return findingOn(
    runs.filter(({ workspace }) => workspace !== CREW),
    ({ sessionId: session, workspace, ...run }) =>
      JSON.stringify(run.entries).includes(LETTER)
        ? { what: `${workspace} has read the crew's file`, session }
        : undefined,
  );
}
