import { runsIn } from "../evidence/recorded-runs.ts";
import { findingOn, type Invariant, together } from "./invariant.ts";

/** A run ends once, and the cancel response agrees with its end. */
export const oneWinner: Invariant = {
  id: "12",
  promise: "cancel and completion: exactly one winner, and the response agrees",
  check(evidence) {
    const runs = runsIn(evidence);
    const byId = new Map(runs.map((run) => [run.id, run]));
    const cancels = evidence.commands
      .filter(({ path }) => path.endsWith("/cancel"))
      .flatMap(({ answers }) => answers.filter(({ status }) => status < 300));
    return together(
      findingOn(runs, ({ id, sessionId, ends }) =>
        ends.length <= 1
          ? undefined
          : { what: `run ${id} ended ${ends.length} times`, session: sessionId, index: ends[1]?.index ?? 0 },
      ),
      findingOn(cancels, ({ text }) => {
        const { run } = JSON.parse(text);
        const end = byId.get(run.id)?.ends[0];
        const event = end?.event;
        const was = event?.type === "agent_complete" ? event.state : "cancelled";
        if (end && was === run.status) return undefined;
        const what = `who cancelled run ${run.id} was told another end than the log has`;
        return { what, session: run.sessionId, index: end?.index ?? 0, expected: was, found: run.status };
      }),
    );
  },
};
