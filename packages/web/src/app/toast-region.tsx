import { For, Show } from "solid-js";
import { Icon } from "./icon.tsx";
import { t } from "./strings/language.ts";
import { dismissToast, toasts } from "./toasts.ts";

/** Where short notices are shown and announced. */
export function ToastRegion() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      <For each={toasts()}>
        {(toast) => (
          <div class="toast">
            <span>{toast.text}</span>
            <Show when={toast.action}>
              {(action) => (
                <button
                  type="button"
                  class="toast-action"
                  onClick={() => {
                    action().run();
                    dismissToast(toast.id);
                  }}
                >
                  {action().label}
                </button>
              )}
            </Show>
            <button
              type="button"
              class="icon-button"
              aria-label={t().app.dismiss}
              onClick={() => dismissToast(toast.id)}
            >
              <Icon name="cross" />
            </button>
          </div>
        )}
      </For>
    </div>
  );
}
