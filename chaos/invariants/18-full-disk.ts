import type { Evidence } from "../evidence/evidence.ts";
import { type Finding, findingOn, type Invariant, together } from "./invariant.ts";

/** While a disk is full, commands are accepted or rejected with a 503 and Retry-After; afterwards writes resume. */
export const fullDisk: Invariant = {
  id: "18",
  promise: "disk full: no acknowledgement that does not hold, a 503, and recovery when space returns",
  check: (evidence) => together(refusals(evidence), recoveries(evidence)),
};

function refusals({ faults, commands }: Evidence): Finding {
  const full = faults.filter(({ fault }) => fault.kind === "full-disk");
  const answers = commands.flatMap(({ key, answers: all }) => all.map((answer) => ({ key, ...answer })));
  const then = answers.filter(({ at }) => full.some(({ began, ended }) => at >= began && at <= ended));
  return findingOn(then, ({ key, node, status, retryAfter, text }) => {
    if (status < 500 || (status === 503 && Number(retryAfter) > 0)) return undefined;
    return { what: `${node} answered ${key} with ${status}`, expected: "503 with Retry-After", found: text };
  });
}

function recoveries({ faults, writes }: Evidence): Finding {
  const full = faults.filter(({ fault }) => fault.kind === "full-disk");
  return findingOn(full, ({ fault, ended }) =>
    writes.some(({ at }) => at > ended)
      ? undefined
      : { what: `nothing was written any more after the ${"disk" in fault ? fault.disk : ""} disk was full` },
  );
}
