import { createMemo, For } from "solid-js";
import type { EventLog } from "./event-log.ts";

/** More would be a grey bar. */
const MOST_MARKS = 200;

/** Where on the way something was said by the user. */
export function Marks(props: { log: EventLog }) {
  const places = createMemo(() => {
    const { events, first, last } = props.log;
    const said = events.filter(({ type }) => type === "user_message").slice(0, MOST_MARKS);
    return said.map(({ index }) => (100 * (index - first)) / Math.max(1, last - first));
  });
  return (
    <span class="marks" aria-hidden="true">
      <For each={places()}>{(place) => <span style={{ left: `${place}%` }} />}</For>
    </span>
  );
}
