import { beside, type Check, type Outcome, type Verdict, weighed, wrong } from "./check.ts";
import type { Examination } from "./examination.ts";
import { RequestLimitError } from "./wire.ts";

/** A check and what it found. */
export interface Examined {
  readonly check: Check;
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
  let goneIn: Check | undefined;
  for (const [place, check] of checks.entries()) {
    begun(check, place);
    const verdicts = goneIn ? [absent(check, goneIn)] : [...(await made(check, examination))];
    if (examination.wire.isGone && !goneIn) {
      goneIn = check;
      verdicts.push(weighed(wrong("Since then nothing answers: the agent is gone"), "must"));
    }
    // Details repeat what the agent said, who may repeat what it was told.
    const shown = verdicts.map((it) => ({ ...it, detail: examination.wire.redact(it.detail) }));
    const outcomes = verdicts.map(({ outcome }) => outcome);
    const outcome = FROM_BAD_TO_GOOD.find((it) => outcomes.includes(it)) ?? "not-applicable";
    examined.push({ check, outcome, verdicts: shown });
  }
  return examined;
}

function absent({ severity }: Check, { id }: Check): Verdict {
  return weighed(beside(`The agent went away during ${id}`), severity);
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
