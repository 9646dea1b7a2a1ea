import type { AttackEvidence, Evidence } from "../evidence/evidence.ts";
import { findingOn, type Invariant } from "./invariant.ts";

/** Recovery time of a target after a fault. */
const RECOVERY_MS = 20_000;

/** A node under attack serves other users, unless a fault prevents it. */
export const serviceUnderAttack: Invariant = {
  id: "D",
  promise: "who attacks a node takes its service from nobody else",
  check: ({ attacks, faults }) =>
    findingOn(
      attacks.filter((attack) => isServed(attack) || !isExcused(attack, faults)),
      (attack) =>
        isServed(attack)
          ? undefined
          : {
              what: `${attack.node} did not serve others during ${attack.attack}`,
              expected: attack.isCalm ? "200" : "an answer",
              found: attack.status === undefined ? "silence" : String(attack.status),
            },
    ),
};

function isServed({ isCalm, status = 0, retryAfter }: AttackEvidence): boolean {
  return status === 200 || (!isCalm && status === 503 && Number(retryAfter) > 0);
}

function isExcused({ isCalm, asked, answered }: AttackEvidence, faults: Evidence["faults"]): boolean {
  return !isCalm && faults.some(({ began, ended }) => began <= answered && asked <= ended + RECOVERY_MS);
}
