import { durationText } from "@parley/client";
import { createEffect, For, Show } from "solid-js";
import { t } from "../app/strings/language.ts";
import { type Span, spanTitle, type Trace } from "./span.ts";

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

function WaterfallRow(props: {
  span: Span | undefined;
  start: number;
  length: number;
  isChosen: boolean;
  onChoose: (span: Span) => void;
}) {
  let row: HTMLButtonElement | undefined;
  createEffect(() => props.isChosen && row?.scrollIntoView({ block: "nearest" }));
  const share = (time: number) => `${(time / props.length) * 100}%`;
  return (
    <Show when={props.span}>
      {(span) => {
        const duration = () => shortDuration(span().end - span().start);
        return (
          <li>
            <button
              ref={row}
              type="button"
              class="bar-row"
              data-kind={span().kind}
              data-state={span().state}
              aria-pressed={props.isChosen}
              title={spanTitle(span())}
              onClick={() => props.onChoose(span())}
            >
              <span class="bar-name" style={{ "padding-inline-start": `${span().depth * 14}px` }}>
                <span class="bar-kind">{t().trace.kind[span().kind]}</span>
                <span class="bar-title">{spanTitle(span())}</span>
              </span>
              <span class="bar-track">
                <span
                  class="bar"
                  style={{
                    "inset-inline-start": share(span().start - props.start),
                    width: share(span().end - span().start),
                  }}
                >
                  <Show when={span().firstToken}>
                    {(at) => (
                      <span
                        class="first-token"
                        title={t().trace.firstTokenAfter(shortDuration(at() - span().start))}
                        style={{ "inset-inline-start": `${firstTokenShare(span(), at())}%` }}
                      />
                    )}
                  </Show>
                </span>
              </span>
              <span class="visually-hidden">{t().trace.from(shortDuration(span().start - props.start))}</span>
              <span class="bar-time">{duration()}</span>
              <span class="visually-hidden">{t().work.state[span().state]}</span>
            </button>
          </li>
        );
      }}
    </Show>
  );
}

function firstTokenShare({ start, end }: Span, at: number): number {
  return Math.min(100, ((at - start) / Math.max(1, end - start)) * 100);
}

/** A duration to the millisecond where it is short. */
export function shortDuration(milliseconds: number): string {
  return milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : durationText(milliseconds);
}
