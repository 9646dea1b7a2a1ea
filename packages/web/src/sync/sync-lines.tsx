import { A } from "@solidjs/router";
import { createMemo, createSignal, For, Show } from "solid-js";
import { IconButton } from "../app/icon.tsx";
import { sameItems } from "../app/list-memo.ts";
import { useParley } from "../app/parley.ts";
import { t } from "../app/strings/language.ts";
import { syncNotices } from "./sync-notices.ts";
import "./sync-lines.css";

/** Warnings about local data and about a server that was reset. */
export function SyncLines() {
  const { engine, state } = useParley();
  const [dismissed, setDismissed] = createSignal<readonly string[]>([]);
  // Words that come change the state, but not this.
  const notices = createMemo(
    () => syncNotices(state(), t().sync).filter(({ id }) => !dismissed().includes(id)),
    [],
    {
      equals: (one, other) =>
        sameItems(
          one.map(({ text }) => text),
          other.map(({ text }) => text),
        ),
    },
  );
  const dismiss = (id: string) => {
    if (id === "reset" || id === "keepingFailed") engine.dismissError();
    else setDismissed((before) => [...before, id]);
  };
  return (
    <div role="status" class="sync-region">
      <For each={notices()}>
        {(notice) => (
          <p class="sync-line">
            <span>{notice.text}</span>
            <Show when={notice.href}>{(href) => <A href={href()}>{t().sync.look}</A>}</Show>
            <IconButton icon="cross" label={t().app.dismiss} onClick={() => dismiss(notice.id)} />
          </p>
        )}
      </For>
    </div>
  );
}
