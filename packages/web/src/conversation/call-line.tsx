import { callDuration, callState, callWords, type RecordedCall } from "@parley/client";
import { lazy, Show, Suspense } from "solid-js";
import { Disclosure } from "../app/disclosure.tsx";
import { Icon, type IconName } from "../app/icon.tsx";
import { ScrollBox } from "../app/scroll-box.tsx";
import { t } from "../app/strings/language.ts";
import { useRunPlace } from "./run-place.ts";

const CallMore = lazy(() => import("../trace/call-more.tsx"));

const ICONS: Readonly<Record<string, IconName>> = {
  running: "dot",
  succeeded: "check",
  failed: "cross",
  canceled: "stop",
  unknown: "question",
};

/** A tool call in one line, which opens to its arguments and result. */
export function CallLine(props: { call: RecordedCall; now: number; isInner?: boolean; isOver?: boolean }) {
  const words = () => callWords(props.call);
  const place = useRunPlace();
  const state = () => callState(props.call, props.isOver ?? false);
  const duration = () => callDuration(props.call, props.now, props.isOver ?? false);
  return (
    <Disclosure
      class={`call ${props.isInner ? "inner" : ""}`}
      summary={
        <span class="call-line" data-state={state()}>
          <Icon name={ICONS[state()] ?? "dot"} />
          <span class="verb">{t().work[words().kind]}</span>
          <span class="call-name">{words().name}</span>
          <span class="target muted" title={words().target}>
            {words().target}
          </span>
          <span class="visually-hidden">{t().work.state[state()]}</span>
          <span class="muted duration">{duration()}</span>
        </span>
      }
    >
      <p class="label">{t().conversation.arguments}</p>
      <Value
        label={t().conversation.arguments}
        of={props.call.arguments}
        none={t().conversation.noArguments}
      />
      <p class="label">{t().conversation.result}</p>
      <Value
        label={t().conversation.result}
        of={props.call.result}
        none={props.call.outcome || props.isOver ? t().work.state[state()] : t().conversation.stillRunning}
      />
      <Suspense>
        <Show when={place()}>{(here) => <CallMore call={props.call} place={here()} />}</Show>
      </Suspense>
    </Disclosure>
  );
}

function Value(props: { label: string; of: unknown; none: string }) {
  const text = () => (typeof props.of === "string" ? props.of : JSON.stringify(props.of, null, 2));
  const isEmpty = () => props.of === undefined || text() === "{}";
  return (
    <Show when={!isEmpty()} fallback={<p class="muted small">{props.none}</p>}>
      <ScrollBox class="value" label={props.label}>
        <pre>{text()}</pre>
      </ScrollBox>
    </Show>
  );
}
