import { For } from "solid-js";
import { LANGUAGES, type Language, language, setLanguage, t } from "../app/strings/language.ts";
import { setTheme, THEMES, theme } from "../app/theme/theme.ts";

/** How the client looks and speaks. */
export function LookSection() {
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
