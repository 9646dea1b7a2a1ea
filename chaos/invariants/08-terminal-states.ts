import type { LoggedEvent } from "../evidence/evidence.ts";
import { runsIn } from "../evidence/recorded-runs.ts";
import { findingOn, type Invariant, together } from "./invariant.ts";

const ENDED = /^TASK_STATE_(?:COMPLETED|FAILED|CANCELED|REJECTED)$/;
const VISIBLE = /^\{"(?:artifactUpdate|statusUpdate|task)":/;

/** The log has no event of a run or task after its terminal state. */
export const terminalStates: Invariant = {
  id: "8",
  promise: "a terminal state never changes",
  check: (evidence) =>
    together(
      findingOn(runsIn(evidence), ({ id, sessionId, entries, ends: [end] }) => {
        const later = end && entries.find(({ index }) => index > end.index);
        if (!later) return undefined;
        const found = JSON.stringify(later.event);
        return { what: `run ${id} went on after its end`, session: sessionId, index: later.index, found };
      }),
      findingOn(
        [...evidence.streams.values()].filter(({ name, trimmed }) => name.includes("task/") && trimmed === 0),
        ({ name, events }) => {
          const end = events.findIndex(({ json }) => ENDED.test(stateIn(json)));
          const later = end < 0 ? undefined : laterThan(events[end]?.json ?? "", events.slice(end + 1));
          if (!later) return undefined;
          return {
            what: "a task went on after its end",
            stream: name,
            index: later.index,
            found: later.json,
          };
        },
      ),
    ),
};

/**
 * The first event that a task must not have after its end. Compaction rewrites an old task from its creation on and then
 * removes the rest; a crash in between leaves both, which must have the same outcome.
 */
function laterThan(end: string, events: readonly LoggedEvent[]): LoggedEvent | undefined {
  const again = events.findIndex(({ json }) => json.startsWith('{"created":'));
  const visible = (some: readonly LoggedEvent[]) => some.find(({ json }) => VISIBLE.test(json));
  if (again < 0) return visible(events);
  const compacted = events.slice(again);
  const isOther = ({ json }: LoggedEvent) => stateIn(json) !== "" && stateIn(json) !== stateIn(end);
  return visible(events.slice(0, again)) ?? compacted.find(isOther);
}

/** The state in a task's event. */
function stateIn(json: string): string {
  if (!/^\{"(?:task|statusUpdate)":/.test(json)) return "";
  const { task, statusUpdate } = JSON.parse(json);
  return (task ?? statusUpdate).status.state;
}
