import { type Check, fail, type Outcome, skip, type Verdict, verdictOf } from "./check.ts";
import type { Examination } from "./examination.ts";
import { RequestLimitError } from "./wire.ts";

/** A check and what it found. */
export interface CheckResult {
  readonly check: Check;
  readonly outcome: Outcome;
  readonly verdicts: readonly Verdict[];
}

const WORST_FIRST: readonly Outcome[] = ["fail", "warn", "pass", "not-applicable"];

/** Runs checks in order and calls `onStart` before each; once the agent has stopped answering, the rest are skipped. */
export async function runChecks(
  examination: Examination,
  checks: readonly Check[],
  onStart: (check: Check, index: number) => void,
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  let goneIn: Check | undefined;
  for (const [index, check] of checks.entries()) {
    onStart(check, index);
    const verdicts = goneIn
      ? [verdictOf(skip(`Skipped: the agent stopped answering during ${goneIn.id}`), check.severity)]
      : [...(await runCheck(check, examination))];
    if (examination.wire.isGone && !goneIn) {
      goneIn = check;
      verdicts.push(verdictOf(fail("The agent stopped answering"), "must"));
    }
    // Details quote the agent's responses, which may contain secrets that it was sent.
    const redacted = verdicts.map((it) => ({ ...it, detail: examination.wire.redact(it.detail) }));
    const outcomes = verdicts.map(({ outcome }) => outcome);
    const outcome = WORST_FIRST.find((it) => outcomes.includes(it)) ?? "not-applicable";
    results.push({ check, outcome, verdicts: redacted });
  }
  return results;
}

/** Limits of the examination are not the agent's fault. */
async function runCheck(check: Check, examination: Examination): Promise<readonly Verdict[]> {
  try {
    return await check.run(examination);
  } catch (error) {
    if (error instanceof RequestLimitError) return [verdictOf(skip(error.message), check.severity)];
    const { reason } = examination.options.signal;
    if (reason instanceof Error && reason.name === "TimeoutError")
      return [verdictOf(skip("Skipped: the examination ran out of time"), check.severity)];
    throw error;
  }
}
