import { Show } from "solid-js";
import { useParley } from "../app/parley.ts";
import { t } from "../app/strings/language.ts";
import { cacheName } from "../people/who.ts";
import { clearKept } from "./clear-kept.ts";

/** How long what this browser keeps lasts, and the way to be rid of it; what was not sent yet is not thrown away. */
export function CacheSection() {
  const { state, me } = useParley();
  const words = () => {
    const { keeping } = state();
    return t().settingsPage.keeping[keeping.name === "lasting" ? "lasting" : keeping.reason];
  };
  const unsent = () => state().queue.filter(({ phase }) => phase.name !== "acknowledged").length;
  return (
    <section class="settings-section" aria-labelledby="settings-cache">
      <h2 id="settings-cache">{t().settingsPage.cache}</h2>
      <p>{words()}</p>
      <Show when={unsent() > 0}>
        <p class="settings-bad small">{t().settingsPage.unsent(unsent())}</p>
      </Show>
      <div class="settings-row">
        <p class="muted small">{t().settingsPage.clearHint}</p>
        <button
          type="button"
          class="button"
          disabled={unsent() > 0}
          onClick={async () => {
            await clearKept(cacheName(me));
            location.reload();
          }}
        >
          {t().settingsPage.clear}
        </button>
      </div>
    </section>
  );
}
