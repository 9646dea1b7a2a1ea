import { createSignal } from "solid-js";
import { de } from "./de.ts";
import { en, type Strings } from "./en.ts";

export const LANGUAGES = { en, de } as const;
export type Language = keyof typeof LANGUAGES;

const KEPT_AS = "parley-language";
const [language, setSignal] = createSignal<Language>("en");

/** The language that is spoken now. */
export { language };

/** Everything that is said, in that language: what calls this is drawn anew when it changes. */
export function t(): Strings {
  return LANGUAGES[language()];
}

/** Speaks this language from now on, also at the next visit. */
export function setLanguage(chosen: Language): void {
  setSignal(chosen);
  document.documentElement.lang = chosen;
  localStorage.setItem(KEPT_AS, chosen);
}

/** Speaks the language that was chosen, or the first of the browser's that we know. */
export function useKnownLanguage(): void {
  const wanted = [localStorage.getItem(KEPT_AS) ?? "", ...navigator.languages];
  const found = wanted.map((name) => name.slice(0, 2)).find(isLanguage) ?? "en";
  setSignal(found);
  document.documentElement.lang = found;
}

/** A timestamp as the chosen language writes it. */
export function shownTime(at: string): string {
  return new Date(at).toLocaleString(language(), { dateStyle: "medium", timeStyle: "short" });
}

function isLanguage(name: string): name is Language {
  return Object.hasOwn(LANGUAGES, name);
}
