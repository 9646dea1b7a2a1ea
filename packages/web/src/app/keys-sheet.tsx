import { For } from "solid-js";
import { keyNames, onShortcut, SHORTCUTS, type Shortcut } from "./keys.ts";
import { t } from "./strings/language.ts";

/** The sheet under `?`: every shortcut there is. */
export function KeysSheet() {
  let dialog: HTMLDialogElement | undefined;
  const shortcuts: readonly Shortcut[] = Object.values(SHORTCUTS);
  onShortcut("help", () => dialog?.showModal());
  return (
    <dialog ref={dialog} class="sheet" aria-labelledby="keys-title" closedby="any">
      <h2 id="keys-title">{t().keys.title}</h2>
      <dl class="keys">
        <For each={shortcuts}>
          {(shortcut) => (
            <div>
              <dt>{t().keys[shortcut.label]}</dt>
              <dd>
                <For each={keyNames(shortcut.keys)}>{(name) => <kbd>{name}</kbd>}</For>
              </dd>
            </div>
          )}
        </For>
      </dl>
      <button type="button" class="button" onClick={() => dialog?.close()}>
        {t().keys.close}
      </button>
    </dialog>
  );
}
