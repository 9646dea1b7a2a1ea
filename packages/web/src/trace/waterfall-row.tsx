import { createEffect, Show } from "solid-js";
import { t } from "../app/strings/language.ts";
import { shortDuration } from "./short-duration.ts";
import { type Span, spanTitle } from "./span.ts";

/** One bar with its name; pressing it leads to its events. */
export function WaterfallRow(props: {
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
