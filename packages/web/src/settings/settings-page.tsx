import { For, Match, onMount, Show, Switch } from "solid-js";
import { createLoaded } from "../app/loaded.ts";
import { useParley } from "../app/parley.ts";
import { LANGUAGES, type Language, language, setLanguage, t } from "../app/strings/language.ts";
import { setTheme, THEMES, theme } from "../app/theme/theme.ts";
import { noticeStanding, turnNoticesOff, turnNoticesOn } from "../approvals/notices.ts";
import { cacheName } from "../people/who.ts";
import { BudgetSection } from "./budget-section.tsx";
import { clearKept } from "./clear-kept.ts";
import { ModelSection } from "./model-section.tsx";
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
              {t().app.retry}
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

/** Whether the desktop tells of what waits; the browser is asked only when the button is pressed. */
function NoticesSection() {
  return (
    <section class="settings-section" aria-labelledby="settings-notices">
      <h2 id="settings-notices">{t().settingsPage.notices}</h2>
      <p class="muted small">{t().settingsPage.noticesHint}</p>
      <div class="settings-row">
        <Switch>
          <Match when={noticeStanding() === "missing"}>
            <p>{t().settingsPage.noticesMissing}</p>
          </Match>
          <Match when={noticeStanding() === "blocked"}>
            <p>{t().settingsPage.noticesBlocked}</p>
          </Match>
          <Match when={noticeStanding() === "on"}>
            <p class="settings-good">{t().settingsPage.noticesOn}</p>
            <button type="button" class="button" onClick={turnNoticesOff}>
              {t().settingsPage.noticesTurnOff}
            </button>
          </Match>
          <Match when={true}>
            <p>{t().settingsPage.noticesOff}</p>
            <button type="button" class="button" onClick={() => void turnNoticesOn()}>
              {t().settingsPage.noticesTurnOn}
            </button>
          </Match>
        </Switch>
      </div>
    </section>
  );
}

/** How long what this browser keeps lasts, and the way to be rid of it; what was not sent yet is not thrown away. */
function CacheSection() {
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

function LookSection() {
  const languages = Object.keys(LANGUAGES) as Language[];
  return (
    <section class="settings-section" aria-labelledby="settings-look">
      <h2 id="settings-look">{t().settingsPage.look}</h2>
      <fieldset class="choice">
        <legend>{t().theme.label}</legend>
        <For each={THEMES}>
          {(each) => (
            <label>
              <input type="radio" name="theme" checked={theme() === each} onChange={() => setTheme(each)} />
              {t().theme[each]}
            </label>
          )}
        </For>
      </fieldset>
      <fieldset class="choice">
        <legend>{t().language.label}</legend>
        <For each={languages}>
          {(each) => (
            <label>
              <input
                type="radio"
                name="language"
                checked={language() === each}
                onChange={() => setLanguage(each)}
              />
              <span lang={each}>{LANGUAGES[each].languageName}</span>
            </label>
          )}
        </For>
      </fieldset>
    </section>
  );
}
