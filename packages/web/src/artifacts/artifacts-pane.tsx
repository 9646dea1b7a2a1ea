import "./artifacts-pane.css";
import { ApiError, type ArtifactFile, fileContent, filesOf, safeName, sizeText } from "@parley/client";
import { useSearchParams } from "@solidjs/router";
import {
  createMemo,
  createResource,
  createSignal,
  For,
  type JSX,
  Match,
  onCleanup,
  onMount,
  Show,
  Switch,
} from "solid-js";
import { Button } from "../app/button.tsx";
import { CopyButton } from "../app/copy-button.tsx";
import { IconButton } from "../app/icon.tsx";
import { onShortcut } from "../app/keys.ts";
import { createListMemo } from "../app/list-memo.ts";
import { useParley } from "../app/parley.ts";
import { ScrollBox } from "../app/scroll-box.tsx";
import type { SessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import { StreamingMarkdown } from "../markdown/streaming-markdown.tsx";
import { previewKind } from "./preview-kind.ts";
import { storeFile } from "./store-file.ts";

const MAX_TEXT = 1_000_000;
const MAX_IMAGE = 20_000_000;

/** Previews a file without trusting it. */
function FilePreview(props: { file: ArtifactFile; name: string }) {
  const { client } = useParley();
  const kind = previewKind({ mediaType: props.file.mediaType, name: props.name });
  const [content, { refetch }] = createResource(() => fileContent(props.file, client));
  const [text] = createResource(
    () => (kind !== "image" && kind !== "none" && !content.error ? content() : undefined),
    async (blob) => (blob.size > MAX_TEXT ? undefined : shown(await blob.text(), kind === "json")),
  );
  const isTooLarge = () => (content()?.size ?? 0) > (kind === "image" ? MAX_IMAGE : MAX_TEXT);
  return (
    <>
      <div class="artifact-head">
        <span class="artifact-name">{props.name}</span>
        <span class="muted small">
          {props.file.mediaType}
          <Show when={!content.error && content()}>{(blob) => <> · {sizeText(blob().size)}</>}</Show>
          <Show when={props.file.agent}>{(agent) => <> · {t().artifacts.from(agent())}</>}</Show>
        </span>
        <div class="artifact-actions">
          <Show when={!content.error && content()}>
            {(blob) => (
              <Button
                kind="quiet"
                label={t().artifacts.download}
                onClick={() => storeFile(blob(), safeName(downloadName(props.name, props.file), "file"))}
                icon="download"
              />
            )}
          </Show>
          <Show when={text()}>
            {(words) => <CopyButton label={t().markdown.copy} text={() => words()} />}
          </Show>
        </div>
      </div>
      <ScrollBox class="artifact-body" label={props.name}>
        <Switch fallback={<p class="muted">{t().app.loading}</p>}>
          <Match when={content.error}>
            {(error) => (
              <p role="alert">
                {troubleText(error())}{" "}
                <Button kind="link" label={t().app.retry} onClick={() => void refetch()} />
              </p>
            )}
          </Match>
          <Match when={props.file.source.kind === "link" && props.file.source}>
            {(link) => (
              <>
                <p class="muted">{t().artifacts.elsewhere}</p>
                <code class="elsewhere">{link().url}</code>
              </>
            )}
          </Match>
          <Match when={kind === "none"}>
            <p class="muted">{t().artifacts.noPreview}</p>
          </Match>
          <Match when={isTooLarge()}>
            <p class="muted">{t().artifacts.tooLarge}</p>
          </Match>
          <Match when={kind === "image" && content()}>
            {(blob) => <ImagePreview content={blob()} mediaType={props.file.mediaType} name={props.name} />}
          </Match>
          <Match when={kind === "drawing" && content()}>
            {(blob) => (
              <ImagePreview
                content={blob()}
                mediaType={props.file.mediaType}
                name={props.name}
                otherwise={<pre class="artifact-text">{text()}</pre>}
              />
            )}
          </Match>
          <Match when={kind === "markdown" && text()}>
            {(words) => <StreamingMarkdown text={words()} done={true} labels={t().markdown} />}
          </Match>
          <Match when={text() !== undefined}>
            <pre class="artifact-text">{text()}</pre>
          </Match>
        </Switch>
      </ScrollBox>
    </>
  );
}

function shown(text: string, isJson: boolean): string {
  if (!isJson) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Then it is shown as it is.
    return text;
  }
}

function downloadName(name: string, { source }: ArtifactFile): string {
  return source.kind === "data" && !/\.json$/i.test(name) ? `${name}.json` : name;
}

function troubleText(error: unknown): string {
  return error instanceof ApiError ? t().artifacts.failed(error.message) : t().artifacts.broken;
}

/** Draws a file as an image, or `otherwise` where it is not one. */
function ImagePreview(props: { content: Blob; mediaType: string; name: string; otherwise?: JSX.Element }) {
  const [isBroken, setBroken] = createSignal(false);
  const url = URL.createObjectURL(new Blob([props.content], { type: props.mediaType }));
  onCleanup(() => URL.revokeObjectURL(url));
  return (
    <Show when={!isBroken()} fallback={props.otherwise ?? <p class="muted">{t().artifacts.broken}</p>}>
      <img src={url} alt={props.name} onError={() => setBroken(true)} />
    </Show>
  );
}

/** The files of one answer, beside the conversation; on a narrow screen a sheet over it. */
export default function ArtifactsPane(props: { view: SessionView; runId: string }) {
  const [search, setSearch] = useSearchParams<{ file?: string }>();
  const opener = document.activeElement;
  let title: HTMLHeadingElement | undefined;
  const artifacts = createMemo(() => props.view.artifacts(props.runId));
  const files = createListMemo(() => filesOf(artifacts()));
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
        <IconButton icon="cross" label={t().app.close} hasTooltip onClick={close} />
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
