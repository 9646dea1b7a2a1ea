import { type ArtifactFile, filesOf } from "@parley/client";
import { useSearchParams } from "@solidjs/router";
import { createMemo, For, onCleanup, onMount, Show } from "solid-js";
import { Icon } from "../app/icon.tsx";
import { onShortcut } from "../app/keys.ts";
import { sameItems } from "../app/same-items.ts";
import type { SessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import { FilePreview } from "./file-preview.tsx";
import "./artifacts-pane.css";

/** The files of one answer, beside the conversation; on a narrow screen a sheet over it. */
export default function ArtifactsPane(props: { view: SessionView; runId: string }) {
  const [search, setSearch] = useSearchParams<{ file?: string }>();
  const opener = document.activeElement;
  let title: HTMLHeadingElement | undefined;
  const artifacts = createMemo(() => props.view.artifacts(props.runId));
  const files = createMemo(() => filesOf(artifacts()), [], { equals: sameItems });
  const chosen = createMemo(() => files().find(({ key }) => key === search.file) ?? files()[0]);
  const close = () => setSearch({ files: undefined, file: undefined });
  onShortcut("stop", close);
  onMount(() => title?.focus({ preventScroll: true }));
  onCleanup(
    () => opener instanceof HTMLElement && opener.isConnected && opener.focus({ preventScroll: true }),
  );
  const nameOf = (file: ArtifactFile) =>
    file.name || (file.source.kind === "data" ? t().artifacts.data : t().artifacts.file);
  return (
    <aside class="artifacts-pane" aria-labelledby="artifacts-title">
      <header>
        <h2 id="artifacts-title" ref={title} tabindex="-1">
          {t().artifacts.title}
        </h2>
        <button
          type="button"
          class="icon-button"
          aria-label={t().artifacts.close}
          title={t().artifacts.close}
          onClick={close}
        >
          <Icon name="cross" />
        </button>
      </header>
      <Show when={files().length > 1}>
        <ul class="artifact-names">
          <For each={files()}>
            {(file) => (
              <li>
                <button
                  type="button"
                  aria-current={chosen() === file}
                  onClick={() => setSearch({ file: file.key }, { replace: true })}
                >
                  {nameOf(file)}
                </button>
              </li>
            )}
          </For>
        </ul>
      </Show>
      <Show when={chosen()} keyed>
        {(file) => <FilePreview file={file} name={nameOf(file)} />}
      </Show>
    </aside>
  );
}
