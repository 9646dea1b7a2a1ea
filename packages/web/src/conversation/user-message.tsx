import { createMemo, createSignal, Show } from "solid-js";
import { useParley } from "../app/parley.ts";
import type { SessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import { MessageFiles } from "../attachments/message-files.tsx";
import { MessageEditor } from "../branches/message-editor.tsx";
import { UserTools } from "../branches/user-tools.tsx";

/** Something that the user said, and where it is if it is still on its way. */
export function UserMessage(props: { view: SessionView; messageId: string }) {
  const { engine } = useParley();
  const message = createMemo(() => props.view.message(props.messageId));
  const [isEditing, setEditing] = createSignal(false);
  const pending = () => message()?.pending;
  const words = () => {
    const phase = pending()?.phase;
    if (!phase || phase.name === "acknowledged") return undefined;
    return phase.name === "refused"
      ? t().conversation.refused(phase.refusal.message)
      : t().conversation.pending[phase.name];
  };
  return (
    <article
      class="user-message"
      classList={{ pending: pending() !== undefined, editing: isEditing() }}
      aria-label={t().conversation.you}
    >
      <Show
        when={isEditing() && message()}
        fallback={
          <Show when={message()?.content}>
            <div class="user-text" dir="auto">
              {message()?.content}
            </div>
          </Show>
        }
      >
        {(edited) => <MessageEditor message={edited()} onClose={() => setEditing(false)} />}
      </Show>
      <MessageFiles files={message()?.metadata.files ?? []} />
      <Show when={message()?.metadata.isEdited}>
        <span class="muted small">{t().conversation.edited}</span>
      </Show>
      <Show when={words()}>{(text) => <span class="muted small message-state">{text()}</span>}</Show>
      <Show when={pending()?.phase.name === "refused" && pending()}>
        {(refused) => (
          <span class="message-actions">
            <button type="button" class="link-button" onClick={() => engine.retryCommand(refused().key)}>
              {t().conversation.retry}
            </button>
            <button type="button" class="link-button" onClick={() => engine.discardCommand(refused().key)}>
              {t().conversation.discard}
            </button>
          </span>
        )}
      </Show>
      <Show when={!isEditing()}>
        <UserTools message={message()} onEdit={() => setEditing(true)} />
      </Show>
    </article>
  );
}
