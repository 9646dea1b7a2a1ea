import { createSignal } from "solid-js";
import { de } from "./de.ts";
import { en, type Strings } from "./en.ts";

export const LANGUAGES = { en, de } as const;
export type Language = keyof typeof LANGUAGES;

const KEPT_AS = "parley-language";
const [language, setSignal] = createSignal<Language>("en");

export { language };

/** The texts in the chosen language, as a signal. */
export function t(): Strings {
  return LANGUAGES[language()];
}

/** Applies a language and remembers it. */
export function setLanguage(chosen: Language): void {
  setSignal(chosen);
  document.documentElement.lang = chosen;
  localStorage.setItem(KEPT_AS, chosen);
}

/** Uses the remembered language, or the first supported one of the browser. */
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
