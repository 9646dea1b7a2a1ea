import type { DomainEvent } from "@parley/client";
import { createMemo, createSignal, For, Show } from "solid-js";
import { t } from "../app/strings/language.ts";
import { EventDetail } from "./event-detail.tsx";
import { agentOf, filteredEvents } from "./event-filter.ts";
import { EventList } from "./event-list.tsx";
import { type Span, spanTitle } from "./span.ts";
import "./inspector.css";

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
        <Choice label={t().trace.filterType} value={type()} values={types()} onChange={setType} />
        <Choice label={t().trace.filterAgent} value={agent()} values={agents()} onChange={setAgent} />
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

function Choice(props: {
  label: string;
  value: string;
  values: readonly string[];
  onChange: (value: string) => void;
}) {
  return (
    <label class="inspector-choice">
      <span class="muted small">{props.label}</span>
      <select value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        <option value="">{t().trace.every}</option>
        <For each={props.values}>{(value) => <option value={value}>{value}</option>}</For>
      </select>
    </label>
  );
}
