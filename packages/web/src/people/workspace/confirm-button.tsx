import { createSignal, createUniqueId, onMount, Show } from "solid-js";
import { Button } from "../../app/button.tsx";
import { t } from "../../app/strings/language.ts";

interface Confirmed {
  readonly label: string;
  /** What it is called where several stand below each other. */
  readonly name: string;
  /** What will happen. */
  readonly question: string;
  readonly onConfirm: () => void;
}

/** A button for an action that cannot be undone: it asks for confirmation. */
export function ConfirmButton(props: Confirmed & { readonly disabled?: boolean }) {
  const [isAsking, setAsking] = createSignal(false);
  return (
    <>
      <Button
        kind="quiet"
        aria-label={props.name}
        label={props.label}
        disabled={props.disabled}
        onClick={() => setAsking(true)}
      />
      <Show when={isAsking()}>
        <ConfirmDialog {...props} onClose={() => setAsking(false)} />
      </Show>
    </>
  );
}

function ConfirmDialog(props: Confirmed & { readonly onClose: () => void }) {
  const id = createUniqueId();
  let dialog: HTMLDialogElement | undefined;
  onMount(() => dialog?.showModal());
  return (
    <dialog
      ref={dialog}
      class="sheet"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-question`}
      closedby="any"
      onClose={props.onClose}
    >
      <h2 id={`${id}-title`}>{props.name}</h2>
      <p id={`${id}-question`}>{props.question}</p>
      <div class="confirm-actions">
        <Button
          class="danger"
          label={props.label}
          onClick={() => {
            dialog?.close();
            props.onConfirm();
          }}
        />
        <Button autofocus label={t().app.cancel} onClick={() => dialog?.close()} />
      </div>
    </dialog>
  );
}
