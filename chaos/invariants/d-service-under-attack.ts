import type { AttackEvidence, Evidence } from "../evidence/evidence.ts";
import { findingOn, type Invariant } from "./invariant.ts";

/** So long after a fault what it hit may still be coming back. */
const RECOVERY_MS = 20_000;

/** While somebody attacks a node, somebody else is served by it, unless a fault is why not. */
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
