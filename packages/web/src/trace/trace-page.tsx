import { A, useParams, useSearchParams } from "@solidjs/router";
import { createEffect, createMemo, onCleanup, Show } from "solid-js";
import { Icon } from "../app/icon.tsx";
import { createNow } from "../app/now.ts";
import { useParley } from "../app/parley.ts";
import { sessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import { EventInspector } from "./event-inspector.tsx";
import { createRecordedEvents } from "./recorded-events.ts";
import { RunFigures } from "./run-figures.tsx";
import type { Span } from "./span.ts";
import { traceOf } from "./trace-of.ts";
import { Waterfall } from "./waterfall.tsx";
import "./trace.css";

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
  createEffect(() => {
    document.title = `${t().trace.title} · ${view.title() || t().app.untitled} · Parley`;
  });
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
          {t().trace.back}
        </A>
        <h1>
          {params.run === undefined ? t().trace.allEvents : t().trace.title}
          <span class="muted"> {view.title()}</span>
        </h1>
      </header>
      <Show when={recorded.trouble()}>
        {(reason) => (
          <p class="trace-trouble" role="alert">
            {t().trace.failed(reason())}{" "}
            <button type="button" class="link-button" onClick={recorded.retry}>
              {t().trace.again}
            </button>
          </p>
        )}
      </Show>
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
