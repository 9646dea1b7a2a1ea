import { A } from "@solidjs/router";
import { For, Show } from "solid-js";
import type { SessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import { TimelineEntry } from "../conversation/timeline-entry.tsx";

/** One of the conversations that are compared, from where it differs. */
export function CompareColumn(props: { view: SessionView; name: string; shared: number }) {
  const agent = () => props.view.activeRun()?.agent ?? lastAgent(props.view) ?? props.view.shown()?.agent;
  const own = () => props.view.timeline().slice(props.shared);
  return (
    <section class="compare-column" aria-label={props.name}>
      <header>
        <h2>
          <span class="tag">{props.name}</span> {agent()}
        </h2>
        <A href={`/${props.view.id()}`} class="link-button">
          {t().branches.open}
        </A>
      </header>
      <Show when={!props.view.shown()?.isGone} fallback={<p class="muted">{t().sessions.missing}</p>}>
        <div class="compare-timeline" role="log" aria-live="off" aria-label={props.name} tabindex="0">
          <For each={own()} fallback={<p class="muted">{t().branches.nothingYet}</p>}>
            {(item) => <TimelineEntry view={props.view} item={item} />}
          </For>
        </div>
      </Show>
    </section>
  );
}

function lastAgent(view: SessionView): string | undefined {
  return Object.values(view.shown()?.runs ?? {}).at(-1)?.agent;
}
