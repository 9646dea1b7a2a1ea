import { createSignal, createUniqueId, onMount, Show } from "solid-js";
import { t } from "../../app/strings/language.ts";

interface Confirmed {
  readonly label: string;
  /** What it is called where several stand below each other. */
  readonly name: string;
  /** What will happen. */
  readonly question: string;
  readonly onConfirm: () => void;
}

/** A button for what cannot be undone: it says what will happen, and asks once. */
export function ConfirmButton(props: Confirmed & { readonly disabled?: boolean }) {
  const [isAsking, setAsking] = createSignal(false);
  return (
    <>
      <button
        type="button"
        class="quiet-button"
        aria-label={props.name}
        disabled={props.disabled}
        onClick={() => setAsking(true)}
      >
        {props.label}
      </button>
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
        <button
          type="button"
          class="button danger"
          onClick={() => {
            dialog?.close();
            props.onConfirm();
          }}
        >
          {props.label}
        </button>
        <button type="button" class="button" autofocus onClick={() => dialog?.close()}>
          {t().app.cancel}
        </button>
      </div>
    </dialog>
  );
}
