import type { DomainEvent } from "@parley/client";
import { createMemo, Show } from "solid-js";
import { CopyButton } from "../app/copy-button.tsx";
import { ScrollBox } from "../app/scroll-box.tsx";
import { language, t } from "../app/strings/language.ts";

/** So much of an event is shown; the rest only slows the page down. */
const SHOWN = 100_000;

/** One event, all of it, as the server has it. */
export function EventDetail(props: { event: DomainEvent }) {
  const json = createMemo(() => JSON.stringify(props.event, null, 2));
  const left = () => json().length - SHOWN;
  return (
    <div class="event-detail">
      <div class="event-actions">
        <strong>
          {props.event.index} · {props.event.type}
        </strong>
        <CopyButton label={t().trace.copyEvent} text={json} />
        <CopyButton label={t().trace.copyLink} text={() => linkTo(props.event)} />
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

/** Where this event is shown, also to those who come by the link. */
function linkTo({ index }: DomainEvent): string {
  const url = new URL(location.href);
  url.search = new URLSearchParams({ event: String(index) }).toString();
  return url.href;
}
