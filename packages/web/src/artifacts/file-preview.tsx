import { ApiError, type ArtifactFile, fileContent, safeName, sizeText } from "@parley/client";
import { createResource, Match, Show, Switch } from "solid-js";
import { CopyButton } from "../app/copy-button.tsx";
import { Icon } from "../app/icon.tsx";
import { useParley } from "../app/parley.ts";
import { ScrollBox } from "../app/scroll-box.tsx";
import { t } from "../app/strings/language.ts";
import { StreamingMarkdown } from "../markdown/streaming-markdown.tsx";
import { ImagePreview } from "./image-preview.tsx";
import { previewKind } from "./preview-kind.ts";
import { storeFile } from "./store-file.ts";

const MOST_TEXT = 1_000_000;
const MOST_IMAGE = 20_000_000;

/** A file as it can be shown without trusting it, and the ways to have it. */
export function FilePreview(props: { file: ArtifactFile; name: string }) {
  const { client } = useParley();
  const kind = previewKind({ mediaType: props.file.mediaType, name: props.name });
  const [content, { refetch }] = createResource(() => fileContent(props.file, client));
  const [text] = createResource(
    () => (kind !== "image" && kind !== "none" && !content.error ? content() : undefined),
    async (blob) => (blob.size > MOST_TEXT ? undefined : shown(await blob.text(), kind === "json")),
  );
  const isTooLarge = () => (content()?.size ?? 0) > (kind === "image" ? MOST_IMAGE : MOST_TEXT);
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
              <button
                type="button"
                class="quiet-button"
                onClick={() => storeFile(blob(), safeName(downloadName(props.name, props.file), "file"))}
              >
                <Icon name="download" />
                {t().artifacts.download}
              </button>
            )}
          </Show>
          <Show when={text()}>
            {(words) => <CopyButton label={t().artifacts.copy} text={() => words()} />}
          </Show>
        </div>
      </div>
      <ScrollBox class="artifact-body" label={props.name}>
        <Switch fallback={<p class="muted">{t().artifacts.loading}</p>}>
          <Match when={content.error}>
            {(error) => (
              <p role="alert">
                {troubleText(error())}{" "}
                <button type="button" class="link-button" onClick={() => void refetch()}>
                  {t().artifacts.again}
                </button>
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
