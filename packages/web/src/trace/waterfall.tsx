import { For } from "solid-js";
import { t } from "../app/strings/language.ts";
import { shortDuration } from "./short-duration.ts";
import type { Span, Trace } from "./span.ts";
import { WaterfallRow } from "./waterfall-row.tsx";

const MARKS = [0, 0.25, 0.5, 0.75, 1];

/** A run's bars below each other on one line of time: what is side by side ran at the same time. */
export function Waterfall(props: {
  trace: Trace;
  chosen: string | undefined;
  onChoose: (span: Span) => void;
}) {
  const length = () => Math.max(1, props.trace.end - props.trace.start);
  let list: HTMLOListElement | undefined;
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined || !list) return;
    const rows = [...list.querySelectorAll("button")];
    const at = rows.indexOf(document.activeElement as HTMLButtonElement);
    event.preventDefault();
    rows[Math.min(rows.length - 1, Math.max(0, at + step))]?.focus();
  };
  return (
    <section class="waterfall" aria-labelledby="waterfall-title">
      <h2 id="waterfall-title" class="visually-hidden">
        {t().trace.waterfall}
      </h2>
      <div class="waterfall-scale" aria-hidden="true">
        <For each={MARKS}>{(mark) => <span>{shortDuration(mark * length())}</span>}</For>
      </div>
      <ol ref={list} onKeyDown={onKeyDown}>
        <For each={props.trace.spans.map(({ id }) => id)}>
          {(id) => (
            <WaterfallRow
              span={props.trace.spans.find((span) => span.id === id)}
              start={props.trace.start}
              length={length()}
              isChosen={props.chosen === id}
              onChoose={props.onChoose}
            />
          )}
        </For>
      </ol>
    </section>
  );
}
