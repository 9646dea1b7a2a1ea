import type { ShownMessage } from "@parley/client";
import { createMemo, createSignal, onMount, Show } from "solid-js";
import { Button } from "../app/button.tsx";
import { submitted } from "../app/fields.tsx";
import { useParley } from "../app/parley.ts";
import { t } from "../app/strings/language.ts";
import { useBranches } from "./branches.ts";
import "./branches.css";

/** Edits a message in place; saving creates a branch and leaves the original as it is. */
export function MessageEditor(props: { message: ShownMessage; onClose: () => void }) {
  const { engine, state } = useParley();
  // What was refused before is still there to be changed.
  const refusedBefore = useBranches()?.refusedEdit(props.message.id);
  const [text, setText] = createSignal(refusedBefore?.content ?? props.message.content);
  const [childId, setChildId] = createSignal(refusedBefore?.childId);
  let field: HTMLTextAreaElement | undefined;
  const entry = createMemo(() =>
    state().queue.find(({ command }) => command.type === "edit" && command.childId === childId()),
  );
  const refused = () => {
    const phase = entry()?.phase;
    return phase?.name === "refused" ? phase.refusal.message : undefined;
  };
  const progress = () => {
    const phase = entry()?.phase.name;
    if (childId() === undefined || phase === "refused") return undefined;
    return phase === "waiting" || phase === "resting" ? t().conversation.pending[phase] : t().branches.saving;
  };
  const discard = () => {
    const queued = entry();
    if (queued) engine.discardCommand(queued.key);
    setChildId(undefined);
  };
  const save = () => {
    if (text().trim() === "" || progress() !== undefined) return;
    discard();
    setChildId(engine.edit(props.message.sessionId, props.message.id, { content: text().trim() }));
  };
  const cancel = () => {
    discard();
    props.onClose();
  };
  const fit = () => {
    if (!field) return;
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight}px`;
  };
  onMount(() => {
    fit();
    field?.focus();
    field?.setSelectionRange(text().length, text().length);
  });
  return (
    <form
      class="message-editor"
      onSubmit={submitted(save)}
      onKeyDown={(event) => {
        if (event.isComposing) return;
        if (event.key === "Escape") {
          // Escape also stops an answer, which is not intended here.
          event.preventDefault();
          cancel();
        } else if (event.key === "Enter" && !event.shiftKey && event.target === field) {
          event.preventDefault();
          save();
        }
      }}
    >
      <textarea
        ref={field}
        dir="auto"
        aria-label={t().branches.editLabel}
        value={text()}
        onInput={(event) => {
          setText(event.currentTarget.value);
          fit();
        }}
      />
      <div class="editor-buttons">
        <span class="muted small" role="status">
          {refused() ? t().conversation.refused(refused() ?? "") : progress()}
        </span>
        <Button label={t().app.cancel} onClick={cancel} />
        <Button
          type="submit"
          kind="primary"
          label={t().branches.save}
          disabled={text().trim() === "" || progress() !== undefined}
        />
      </div>
      <Show when={props.message.metadata.files?.length}>
        <p class="muted small">{t().branches.filesStay}</p>
      </Show>
    </form>
  );
}
