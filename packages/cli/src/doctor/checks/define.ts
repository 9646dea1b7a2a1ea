import { beside, type Check, type Finding, type Topic, weighed } from "../check.ts";
import type { Examination } from "../examination.ts";
import type { Way } from "../probes/way.ts";
import { usableWays } from "../probes/ways.ts";

/** A check before it stands in a part of the report. */
export type UnlistedCheck = Omit<Check, "topic">;

/** All of a check but where it stands and how it is made. */
export type About = Omit<UnlistedCheck, "run">;

/** The checks of one part of the report. */
export function checksOf(topic: Topic, checks: readonly UnlistedCheck[]): readonly Check[] {
  return checks.map(({ id, ...check }) => ({ id, topic, ...check }));
}

/** A check of the agent as a whole. */
export function agentCheck(
  about: About,
  judge: (examination: Examination) => Promise<Finding>,
): UnlistedCheck {
  return { ...about, run: async (examination) => [weighed(await judge(examination), about.severity)] };
}

/** A check of each way to speak to the agent that works; one for which there is nothing to say is left out. */
export function wayCheck(
  about: About,
  judge: (examination: Examination, way: Way) => Promise<Finding | undefined>,
  waysOf: (examination: Examination) => Promise<readonly Way[]> = usableWays,
): UnlistedCheck {
  return {
    ...about,
    async run(examination) {
      const verdicts = [];
      // One after the other: they must not disturb what is measured.
      for (const way of await waysOf(examination)) {
        const finding = await judge(examination, way);
        if (finding) verdicts.push(weighed(finding, about.severity, way.name));
      }
      if (verdicts.length > 0) return verdicts;
      return [weighed(beside("None of the ways to speak to this agent has this"), about.severity)];
    },
  };
}
