import type { RunStatus } from "@parley/client";
import { createEffect, createSignal, type JSX, on, onMount, Show } from "solid-js";
import { Icon } from "../app/icon.tsx";
import { onShortcut } from "../app/keys.ts";
import { t } from "../app/strings/language.ts";
import { createDraft } from "./draft.ts";
import "./composer.css";

/** What the composer needs of where it stands. */
export interface ComposerProps {
  /** What its draft is kept under. */
  readonly draftKey: string;
  readonly onSend: (text: string) => void;
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
    if (said === "") return;
    setText("");
    props.onSend(said);
  };
  const placeholder = () => {
    const words = t().conversation;
    if (props.placeholder !== undefined) return props.placeholder;
    if (props.runStatus === "waiting") return words.placeholderWaiting;
    return isRunning() ? words.placeholderRunning : words.placeholder;
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={field}
        rows="1"
        aria-label={placeholder()}
        placeholder={placeholder()}
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
          <button
            type="button"
            class="round-button"
            aria-label={t().conversation.stop}
            title={t().conversation.stop}
            onClick={() => props.onStop?.()}
          >
            <Icon name="stop" />
          </button>
        </Show>
        <Show when={!isRunning() || text().trim() !== ""}>
          <button
            type="submit"
            class="round-button primary"
            disabled={text().trim() === ""}
            aria-label={isRunning() ? t().conversation.queue : t().conversation.send}
            title={isRunning() ? t().conversation.queue : t().conversation.send}
          >
            <Icon name="send" />
          </button>
        </Show>
      </div>
    </form>
  );
}
