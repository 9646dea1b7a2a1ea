import "./inspector.css";
import type { DomainEvent } from "@parley/client";
import { createVirtualizer } from "@tanstack/solid-virtual";
import { createEffect, createMemo, createSignal, For, on, Show } from "solid-js";
import { CopyButton } from "../app/copy-button.tsx";
import { SelectField } from "../app/fields.tsx";
import { ScrollBox } from "../app/scroll-box.tsx";
import { language, t } from "../app/strings/language.ts";
import { agentOf, filteredEvents, summaryOf } from "./event-filter.ts";
import { type Span, spanTitle } from "./span.ts";

const ROW_HEIGHT = 30;

function EventList(props: {
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

/** Events with a filter, and all of the one that is chosen. */
export function EventInspector(props: {
  events: readonly DomainEvent[];
  /** Only the events of this bar are shown. */
  span: Span | undefined;
  chosen: number | undefined;
  onChoose: (index: number) => void;
  onShowAll: () => void;
}) {
  const [type, setType] = createSignal("");
  const [agent, setAgent] = createSignal("");
  const [text, setText] = createSignal("");
  const types = createMemo(() => [...new Set(props.events.map((event) => event.type))].sort());
  const agents = createMemo(() => [...new Set(props.events.flatMap((event) => agentOf(event) ?? []))].sort());
  const among = createMemo(() => (props.span ? new Set(props.span.events) : undefined));
  const shown = createMemo(() =>
    filteredEvents(props.events, { type: type(), agent: agent(), text: text(), among: among() }),
  );
  const chosen = createMemo(() => props.events.find(({ index }) => index === props.chosen));
  return (
    <section class="inspector" aria-labelledby="events-title">
      <div class="inspector-head">
        <h2 id="events-title">{t().trace.events}</h2>
        <SelectField
          class="inspector-choice"
          label={t().trace.filterType}
          value={type()}
          options={choices(types())}
          onChoose={setType}
        />
        <SelectField
          class="inspector-choice"
          label={t().trace.filterAgent}
          value={agent()}
          options={choices(agents())}
          onChoose={setAgent}
        />
        <input
          type="search"
          aria-label={t().trace.filterText}
          placeholder={t().trace.filterText}
          value={text()}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <Show when={props.span}>
          {(span) => (
            <button type="button" class="chip" title={t().trace.showAll} onClick={props.onShowAll}>
              {t().trace.only(
                span().kind === "turn" ? t().trace.turn(Number(span().name)) : spanTitle(span()),
              )}{" "}
              ✕
            </button>
          )}
        </Show>
        <span class="muted small" role="status">
          {t().trace.count(shown().length, props.events.length)}
        </span>
      </div>
      <div class="inspector-body">
        <EventList events={shown()} chosen={props.chosen} onChoose={props.onChoose} />
        <Show when={chosen()} fallback={<p class="muted inspector-hint">{t().trace.choose}</p>}>
          {(event) => <EventDetail event={event()} />}
        </Show>
      </div>
    </section>
  );
}

function choices(values: readonly string[]): readonly (readonly [string, string])[] {
  return [["", t().trace.every], ...values.map((value) => [value, value] as const)];
}

/** Longer JSON would slow the page down. */
const SHOWN = 100_000;

function EventDetail(props: { event: DomainEvent }) {
  const json = createMemo(() => JSON.stringify(props.event, null, 2));
  const left = () => json().length - SHOWN;
  return (
    <div class="event-detail">
      <div class="event-actions">
        <strong>
          {props.event.index} · {props.event.type}
        </strong>
        <CopyButton label={t().trace.copyEvent} text={json} />
        <CopyButton label={t().people.copyLink} text={() => linkTo(props.event)} />
      </div>
      <ScrollBox class="value event-json" label={props.event.type}>
        <pre>{json().slice(0, SHOWN)}</pre>
      </ScrollBox>
      <Show when={left() > 0}>
        <p class="muted small">{t().trace.shortened(left().toLocaleString(language()))}</p>
      </Show>
    </div>
  );
}

function linkTo({ index }: DomainEvent): string {
  const url = new URL(location.href);
  url.search = new URLSearchParams({ event: String(index) }).toString();
  return url.href;
}
