import type { DomainEvent } from "@parley/client";
import { createVirtualizer } from "@tanstack/solid-virtual";
import { createEffect, createMemo, For, on, Show } from "solid-js";
import { t } from "../app/strings/language.ts";
import { agentOf, summaryOf } from "./event-filter.ts";

const ROW_HEIGHT = 30;

/** Events in one line each; only those in view are drawn. */
export function EventList(props: {
  events: readonly DomainEvent[];
  chosen: number | undefined;
  onChoose: (index: number) => void;
}) {
  let scroller: HTMLDivElement | undefined;
  const rows = createVirtualizer({
    get count() {
      return props.events.length;
    },
    getScrollElement: () => scroller ?? null,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
  });
  const place = createMemo(() => props.events.findIndex(({ index }) => index === props.chosen));
  // Whoever comes by a link sees the event that it names, once it is there.
  createEffect(on(place, (at) => at >= 0 && rows.scrollToIndex(at, { align: "auto" })));
  const choose = (at: number) => {
    const event = props.events[at];
    if (!event) return;
    props.onChoose(event.index);
    rows.scrollToIndex(at, { align: "auto" });
    requestAnimationFrame(() =>
      scroller?.querySelector<HTMLElement>(`[data-at="${at}"]`)?.focus({ preventScroll: true }),
    );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const last = props.events.length - 1;
    const from = place();
    const to = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(Math.min(last, Math.max(0, to)));
  };
  return (
    <div class="event-list" ref={scroller}>
      <Show when={props.events.length > 0} fallback={<p class="muted">{t().trace.nothingFound}</p>}>
        <ol
          style={{ height: `${rows.getTotalSize()}px` }}
          aria-label={t().trace.events}
          onKeyDown={onKeyDown}
        >
          <For each={rows.getVirtualItems()}>
            {(row) => (
              <li
                style={{ transform: `translateY(${row.start}px)` }}
                aria-setsize={props.events.length}
                aria-posinset={row.index + 1}
              >
                <EventRow
                  event={props.events[row.index]}
                  at={row.index}
                  isChosen={place() === row.index}
                  isReachable={place() === row.index || (place() < 0 && row.index === 0)}
                  onChoose={() => choose(row.index)}
                />
              </li>
            )}
          </For>
        </ol>
      </Show>
    </div>
  );
}

function EventRow(props: {
  event: DomainEvent | undefined;
  at: number;
  isChosen: boolean;
  isReachable: boolean;
  onChoose: () => void;
}) {
  return (
    <Show when={props.event}>
      {(event) => (
        <button
          type="button"
          class="event-row"
          data-at={props.at}
          aria-current={props.isChosen}
          tabindex={props.isReachable ? 0 : -1}
          onClick={props.onChoose}
        >
          <span class="event-index">{event().index}</span>
          <span class="event-time">{event().timestamp.slice(11, 23)}</span>
          <span class="event-type">{event().type}</span>
          <Show when={agentOf(event())}>{(agent) => <span class="who">{agent()}</span>}</Show>
          <span class="event-summary">{summaryOf(event())}</span>
        </button>
      )}
    </Show>
  );
}
