import "./trace.css";
import { ApiError, type DomainEvent } from "@parley/client";
import { A, useParams, useSearchParams } from "@solidjs/router";
import { type Accessor, createEffect, createMemo, createSignal, For, on, onCleanup, Show } from "solid-js";
import { Icon } from "../app/icon.tsx";
import { createNow } from "../app/now.ts";
import { useParley } from "../app/parley.ts";
import { sessionView } from "../app/session-view.ts";
import { language, t } from "../app/strings/language.ts";
import { EventInspector } from "./event-inspector.tsx";
import type { Span, Trace } from "./span.ts";
import { traceOf } from "./trace-of.ts";
import { shortDuration, Waterfall } from "./waterfall.tsx";

/** Events as the server has them, as far as they were read. */
interface RecordedEvents {
  readonly events: Accessor<readonly DomainEvent[]>;
  readonly isLoading: Accessor<boolean>;
  /** Why no more could be read. */
  readonly trouble: Accessor<string | undefined>;
  retry(): void;
}

const PAGE = 1_000;

/** Reads the events of a session or of one of its runs, and more of them whenever `head` goes up. */
function createRecordedEvents(
  of: Accessor<{ readonly sessionId: string; readonly run?: string | undefined }>,
  head: Accessor<number>,
): RecordedEvents {
  const { client } = useParley();
  const [events, setEvents] = createSignal<readonly DomainEvent[]>([]);
  const [isLoading, setLoading] = createSignal(true);
  const [trouble, setTrouble] = createSignal<string>();
  let stop = new AbortController();
  let isReading = false;
  let isMore = false;

  const read = async () => {
    isMore = true;
    if (isReading) return;
    const { signal } = stop;
    const { sessionId, run } = of();
    isReading = true;
    setTrouble(undefined);
    try {
      while (isMore && !signal.aborted) {
        isMore = false;
        for (let cursor = events().at(-1)?.index; ; ) {
          const page = await client.listEvents(
            sessionId,
            { limit: PAGE, ...(run && { run }), ...(cursor && { cursor: String(cursor) }) },
            { signal },
          );
          if (page.events.length > 0) setEvents((before) => [...before, ...page.events]);
          cursor = events().at(-1)?.index;
          if (page.next === null) break;
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      setTrouble(error instanceof ApiError ? error.message : String(error));
    } finally {
      if (!signal.aborted) {
        isReading = false;
        setLoading(false);
      }
    }
  };

  createEffect(
    on(
      () => JSON.stringify(of()),
      () => {
        stop.abort();
        stop = new AbortController();
        isReading = false;
        setEvents([]);
        setLoading(true);
        void read();
      },
    ),
  );
  createEffect(on(head, () => void read(), { defer: true }));
  onCleanup(() => stop.abort());
  return { events, isLoading, trouble, retry: () => void read() };
}

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
          {t().branches.back}
        </A>
        <h1>
          {params.run === undefined ? t().trace.allEvents : t().trace.title}
          <span class="muted"> {view.title()}</span>
        </h1>
      </header>
      <Show when={recorded.trouble()}>
        {(reason) => (
          <p class="trace-trouble" role="alert">
            {t().replay.failed(reason())}{" "}
            <button type="button" class="link-button" onClick={recorded.retry}>
              {t().app.retry}
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

/** A run in figures: how long it took, when the first words came, what it used and cost. */
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
