import { beside, type Check, type Finding, weighed } from "../check.ts";
import type { Examination } from "../examination.ts";
import type { Way } from "../probes/way.ts";
import { usableWays } from "../probes/ways.ts";

/** All of a check but how it is made. */
export type About = Omit<Check, "run">;

/** A check of the agent as a whole. */
export function agentCheck(about: About, judge: (examination: Examination) => Promise<Finding>): Check {
  return { ...about, run: async (examination) => [weighed(await judge(examination), about.severity)] };
}

/** A check of each way to speak to the agent that works; one for which there is nothing to say is left out. */
export function wayCheck(
  about: About,
  judge: (examination: Examination, way: Way) => Promise<Finding | undefined>,
  waysOf: (examination: Examination) => Promise<readonly Way[]> = usableWays,
): Check {
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
