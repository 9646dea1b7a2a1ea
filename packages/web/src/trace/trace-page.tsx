import "./trace.css";
import { A, useParams, useSearchParams } from "@solidjs/router";
import { createEffect, createMemo, For, onCleanup, Show } from "solid-js";
import { Alert } from "../app/alert.tsx";
import { Icon } from "../app/icon.tsx";
import { createNow } from "../app/now.ts";
import { setPageTitle } from "../app/page-title.ts";
import { useParley } from "../app/parley.ts";
import { sessionView } from "../app/session-view.ts";
import { language, t } from "../app/strings/language.ts";
import { createRecordedEvents } from "../replay/recorded-events.ts";
import { EventInspector } from "./event-inspector.tsx";
import type { Span, Trace } from "./span.ts";
import { traceOf } from "./trace-builder.ts";
import { shortDuration, Waterfall } from "./waterfall.tsx";

/** The page of a run's trace, or, without a run, of all events of a conversation. */
export default function TracePage() {
  const { engine, state } = useParley();
  const params = useParams<{ session: string; run?: string }>();
  const [search, setSearch] = useSearchParams<{ event?: string; span?: string; call?: string }>();
  const view = sessionView(state, () => params.session);
  createEffect(() => {
    const sessionId = params.session;
    void engine.open(sessionId);
    onCleanup(() => engine.close(sessionId));
  });
  setPageTitle(() => `${t().trace.title} · ${view.title() || t().app.untitled}`);
  const head = createMemo(() => view.shown()?.index ?? 0);
  const recorded = createRecordedEvents(() => ({ sessionId: params.session, run: params.run }), head);
  const isRunning = createMemo(() => params.run !== undefined && view.run(params.run)?.status === "running");
  const now = createNow(isRunning);
  const trace = createMemo(() => (params.run === undefined ? undefined : traceOf(recorded.events(), now())));
  const span = createMemo(() => trace()?.spans.find(({ id }) => id === search.span));
  const choose = ({ id, events }: Span, options = {}) =>
    setSearch({ span: id, event: String(events[0] ?? ""), call: undefined }, options);
  // Who comes from a call finds its bar chosen.
  createEffect(() => {
    const called = search.call && trace()?.spans.find(({ call }) => call === search.call);
    if (called) choose(called, { replace: true });
  });
  const isMissing = () =>
    params.run !== undefined &&
    !recorded.isLoading() &&
    !recorded.trouble() &&
    recorded.events().length === 0;
  return (
    <div class="trace-page">
      <header class="trace-head">
        <A class="quiet-button" href={`/${params.session}`}>
          <Icon name="back" />
          {t().branches.back}
        </A>
        <h1>
          {params.run === undefined ? t().trace.allEvents : t().trace.title}
          <span class="muted"> {view.title()}</span>
        </h1>
      </header>
      <Alert reason={recorded.trouble()} text={t().replay.failed} onRetry={recorded.retry} />
      <Show when={!isMissing()} fallback={<p class="quiet-page">{t().trace.noRun}</p>}>
        <Show when={trace()}>
          {(current) => (
            <>
              <RunFigures trace={current()} />
              <Waterfall trace={current()} chosen={span()?.id} onChoose={choose} />
            </>
          )}
        </Show>
        <EventInspector
          events={recorded.events()}
          span={span()}
          chosen={search.event === undefined ? undefined : Number(search.event)}
          onChoose={(index) => setSearch({ event: String(index) }, { replace: true })}
          onShowAll={() => setSearch({ span: undefined }, { replace: true })}
        />
      </Show>
    </div>
  );
}

function RunFigures(props: { trace: Trace }) {
  const figures = (): readonly (readonly [string, string])[] => {
    const { start, end, firstToken, spent } = props.trace;
    const words = t().trace;
    const count = (value: number | undefined) => (value ?? 0).toLocaleString(language());
    return [
      [words.duration, shortDuration(end - start)],
      [words.firstToken, firstToken === undefined ? words.unknown : shortDuration(firstToken - start)],
      [
        words.tokens,
        spent ? words.tokensOf(count(spent.inputTokens), count(spent.outputTokens)) : words.unknown,
      ],
      [words.cost, costText(spent?.cost) ?? words.unknown],
      ...(spent?.model ? [[words.model, spent.model] as const] : []),
    ];
  };
  return (
    <dl class="run-figures">
      <For each={figures()}>
        {([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        )}
      </For>
    </dl>
  );
}

function costText(cost: { readonly amount: number; readonly currency: string } | undefined) {
  if (!cost) return undefined;
  const { amount, currency } = cost;
  // Most runs cost a fraction of a cent, and currencies may be anybody's.
  return `${amount.toLocaleString(language(), { maximumSignificantDigits: 3 })} ${currency}`;
}
