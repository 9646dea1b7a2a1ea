import { onMount, Show } from "solid-js";
import { createLoaded } from "../app/loaded.ts";
import { useParley } from "../app/parley.ts";
import { t } from "../app/strings/language.ts";
import { BudgetSection } from "./budget-section.tsx";
import { CacheSection } from "./cache-section.tsx";
import { LookSection } from "./look-section.tsx";
import { ModelSection } from "./model-section.tsx";
import { NoticesSection } from "./notices-section.tsx";
import { ToolsSection } from "./tools-section.tsx";
import "./settings-page.css";

const LOOK_EVERY_MS = 10_000;

/** What the platform is set to, and what can be chosen in this browser; the latter works without the server too. */
export default function SettingsPage() {
  const { client } = useParley();
  const settings = createLoaded((signal) => client.readSettings({ signal }), { everyMs: LOOK_EVERY_MS });
  onMount(() => {
    document.title = `${t().app.settings} · Parley`;
  });
  return (
    <div class="plain-page settings-page">
      <h1>{t().app.settings}</h1>
      <Show when={settings.failure()}>
        {(reason) => (
          <p class="settings-bad" role="alert">
            {t().settingsPage.cannotRead(reason())}{" "}
            <button type="button" class="link-button" onClick={() => void settings.reload()}>
              {t().settingsPage.tryAgain}
            </button>
          </p>
        )}
      </Show>
      <LookSection />
      <Show when={settings.value()}>{(found) => <ModelSection settings={found()} />}</Show>
      <BudgetSection limits={settings.value()?.limits.supervisor} />
      <NoticesSection />
      <CacheSection />
      <Show when={settings.value()}>
        {(found) => (
          <>
            <ToolsSection agents={found().agents} />
            <p class="muted small">{t().settingsPage.about(found().version, found().database)}</p>
          </>
        )}
      </Show>
    </div>
  );
}
