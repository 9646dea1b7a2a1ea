import type { ApiFile, RunStatus } from "@parley/client";
import { type Accessor, createEffect, createSignal, type JSX, on, onMount, Show } from "solid-js";
import { Button } from "../app/button.tsx";
import { submitted } from "../app/fields.tsx";
import { onShortcut } from "../app/keys.ts";
import { useParley } from "../app/parley.ts";
import { loadUiState, saveUiState } from "../app/session-ui-state.ts";
import { t } from "../app/strings/language.ts";
import { showToast } from "../app/toasts.ts";
import { AttachmentList } from "../attachments/attachment-list.tsx";
import { createAttachments, MAX_FILES } from "../attachments/attachments.ts";
import { createFileDrop, pastedFiles } from "../attachments/file-drop.ts";
import "./composer.css";

export interface ComposerProps {
  /** What its draft is kept under. */
  readonly draftKey: string;
  readonly onSend: (text: string, files: readonly ApiFile[]) => void;
  /** Of the run that is under way, if one is. */
  readonly runStatus?: RunStatus | undefined;
  readonly onStop?: () => void;
  /** What can be chosen about the next message. */
  readonly menu?: JSX.Element;
  /** What the field is for, where it is not for the next message of one conversation. */
  readonly placeholder?: string;
}

/** The field for the next message: Enter sends, Shift+Enter is a new line. */
export function Composer(props: ComposerProps) {
  const [text, setText] = createSignal("");
  let field: HTMLTextAreaElement | undefined;
  const isRunning = () => props.runStatus === "running";
  const attachments = createAttachments();
  const attach = (files: readonly File[]) => {
    if (!attachments.add(files)) showToast({ text: t().attachments.tooMany(MAX_FILES) });
  };
  const isDropping = createFileDrop(attach);
  const hasSomething = () => text().trim() !== "" || attachments.list().length > 0;
  createDraft(() => props.draftKey, text, setText);
  onMount(() => field?.focus({ preventScroll: true }));
  onShortcut("focusComposer", () => field?.focus());
  // As high as what is written in it.
  createEffect(
    on(text, () => {
      if (!field) return;
      field.style.height = "auto";
      field.style.height = `${field.scrollHeight}px`;
    }),
  );
  const send = () => {
    const said = text().trim();
    if (!hasSomething()) return;
    if (!attachments.isReady()) return showToast({ text: t().attachments.waiting });
    setText("");
    props.onSend(said, attachments.take());
  };
  const placeholder = () => {
    const words = t().conversation;
    if (props.placeholder !== undefined) return props.placeholder;
    if (props.runStatus === "waiting") return words.placeholderWaiting;
    return isRunning() ? words.placeholderRunning : words.placeholder;
  };
  return (
    <form class="composer" classList={{ dropping: isDropping() }} onSubmit={submitted(send)}>
      <AttachmentList attachments={attachments} />
      <AttachButton onFiles={attach} />
      <textarea
        ref={field}
        rows="1"
        aria-label={placeholder()}
        placeholder={isDropping() ? t().attachments.drop : placeholder()}
        onPaste={(event) => {
          const files = pastedFiles(event);
          if (files.length === 0) return;
          event.preventDefault();
          attach(files);
        }}
        value={text()}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <div class="composer-buttons">
        {props.menu}
        <Show when={props.runStatus !== undefined}>
          <Button kind="round" tip={t().conversation.stop} onClick={() => props.onStop?.()} icon="stop" />
        </Show>
        <Show when={!isRunning() || hasSomething()}>
          <Button
            type="submit"
            kind="round"
            class="primary"
            disabled={!hasSomething()}
            tip={isRunning() ? t().conversation.queue : t().conversation.send}
            icon="send"
          />
        </Show>
      </div>
    </form>
  );
}

function createDraft(key: Accessor<string>, text: Accessor<string>, setText: (text: string) => void): void {
  const parley = useParley();
  createEffect(
    on(key, async (of) => {
      const { draft } = await loadUiState(parley, of);
      // What was written meanwhile is newer.
      if (draft !== undefined && text() === "" && key() === of) setText(draft);
    }),
  );
  createEffect(
    on(text, (draft) => saveUiState(parley, key(), draft === "" ? {} : { draft }), {
      defer: true,
    }),
  );
}

function AttachButton(props: { onFiles: (files: readonly File[]) => void }) {
  let input: HTMLInputElement | undefined;
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          props.onFiles([...(event.currentTarget.files ?? [])]);
          // So that the same file can be chosen again.
          event.currentTarget.value = "";
        }}
      />
      <Button
        kind="round"
        class="attach"
        tip={t().attachments.attach}
        onClick={() => input?.click()}
        icon="attach"
      />
    </>
  );
}
