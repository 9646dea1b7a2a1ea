import type { ApiFile } from "@parley/client";
import { createEffect, createMemo, For, onCleanup, Show } from "solid-js";
import { Disclosure } from "../app/disclosure.tsx";
import { useParley } from "../app/parley.ts";
import { sessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import { showToast } from "../app/toasts.ts";
import { Composer } from "../conversation/composer.tsx";
import { TimelineEntry } from "../conversation/timeline-entry.tsx";
import { CompareColumn } from "./compare-column.tsx";
import { sharedItems } from "./shared-items.ts";

/** Conversations side by side as they go on: once what they share, then each by itself; what is said here goes to all. */
export function Comparison(props: { ids: readonly string[] }) {
  const { engine, client, state } = useParley();
  const ids = [...new Set(props.ids.filter(Boolean))];
  const views = ids.map((id) => sessionView(state, () => id));
  const shared = createMemo(() => sharedItems(views));
  const common = () => views[0]?.timeline().slice(0, shared()) ?? [];
  const isOpen = createMemo(() => ids.every((id) => state().open[id] !== undefined));
  createEffect(() => {
    // Whoever showed one of them before may let go of it after we have taken it.
    if (!isOpen()) for (const id of ids) void engine.openBeside(id);
  });
  onCleanup(() => {
    for (const id of ids) if (engine.state.current !== id) engine.close(id);
  });
  const ask = async (content: string, sent: readonly ApiFile[] = []) => {
    const files = sent.map(({ id }) => id);
    try {
      await client.compare(ids[0] ?? "", { content, files, agents: [], branches: ids });
    } catch (error) {
      showToast({ text: t().conversation.refused(error instanceof Error ? error.message : String(error)) });
    }
  };
  const nameOf = (at: number) => t().branches.column(String.fromCodePoint(0x41 + at));
  return (
    <>
      <Show when={shared() > 0}>
        <div class="compare-common">
          <Disclosure summary={<span class="muted small">{t().branches.common(shared())}</span>}>
            <For each={common()}>
              {(item) => <Show when={views[0]}>{(view) => <TimelineEntry view={view()} item={item} />}</Show>}
            </For>
          </Disclosure>
        </div>
      </Show>
      <div class="compare-columns">
        <For each={views}>
          {(view, at) => <CompareColumn view={view} name={nameOf(at())} shared={shared()} />}
        </For>
      </div>
      <footer class="conversation-foot">
        <Composer draftKey={`compare/${ids.join(",")}`} placeholder={t().branches.askAll} onSend={ask} />
      </footer>
    </>
  );
}
