import { filesOf, sizeText } from "@parley/client";
import { useSearchParams } from "@solidjs/router";
import { createMemo, For, Show } from "solid-js";
import { Icon } from "../app/icon.tsx";
import { createListMemo } from "../app/list-memo.ts";
import type { SessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import "./run-files.css";

/** The files that an answer came with: each opens beside the conversation. */
export function RunFiles(props: { view: SessionView; runId: string }) {
  const [, setSearch] = useSearchParams();
  const artifacts = createMemo(() => props.view.artifacts(props.runId));
  const files = createListMemo(() => filesOf(artifacts()));
  return (
    <Show when={files().length > 0}>
      <ul class="run-files" aria-label={t().artifacts.title}>
        <For each={files()}>
          {(file) => (
            <li>
              <button
                type="button"
                class="file-chip"
                onClick={() => setSearch({ files: props.runId, file: file.key })}
              >
                <Icon name="file" />
                <span class="file-name">
                  {file.name || (file.source.kind === "data" ? t().artifacts.data : t().artifacts.file)}
                </span>
                <Show when={file.size}>{(size) => <span class="muted">{sizeText(size())}</span>}</Show>
              </button>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}
