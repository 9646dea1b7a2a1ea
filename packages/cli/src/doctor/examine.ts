import { beside, type Check, type Outcome, type Verdict, weighed } from "./check.ts";
import type { Examination } from "./examination.ts";
import { RequestLimitError } from "./wire.ts";

/** A check and what it found. */
export interface Examined {
  readonly check: Check;
  /** The worst of its verdicts. */
  readonly outcome: Outcome;
  readonly verdicts: readonly Verdict[];
}

const FROM_BAD_TO_GOOD: readonly Outcome[] = ["fail", "warn", "pass", "not-applicable"];

/** Makes these checks in turn; `begun` hears of each. */
export async function examine(
  examination: Examination,
  checks: readonly Check[],
  begun: (check: Check, place: number) => void,
): Promise<readonly Examined[]> {
  const examined: Examined[] = [];
  for (const [place, check] of checks.entries()) {
    begun(check, place);
    const verdicts = await made(check, examination);
    const outcomes = verdicts.map(({ outcome }) => outcome);
    const outcome = FROM_BAD_TO_GOOD.find((it) => outcomes.includes(it)) ?? "not-applicable";
    examined.push({ check, outcome, verdicts });
  }
  return examined;
}

/** A limit of the examination is no fault of the agent's. */
async function made(check: Check, examination: Examination): Promise<readonly Verdict[]> {
  try {
    return await check.run(examination);
  } catch (error) {
    if (error instanceof RequestLimitError) return [weighed(beside(error.message), check.severity)];
    const { reason } = examination.options.signal;
    if (reason instanceof Error && reason.name === "TimeoutError")
      return [weighed(beside("Not looked at: the examination's time was over"), check.severity)];
    throw error;
  }
}
