import { createSignal } from "solid-js";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** The early-theme script reads this key too. */
const KEPT_AS = "parley-theme";
const [theme, setSignal] = createSignal<Theme>(
  THEMES.find((each) => each === document.documentElement.dataset.theme) ?? "system",
);

export { theme };

/** Applies a theme and remembers it. */
export function setTheme(chosen: Theme): void {
  setSignal(chosen);
  if (chosen === "system") {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem(KEPT_AS);
  } else {
    document.documentElement.dataset.theme = chosen;
    localStorage.setItem(KEPT_AS, chosen);
  }
}
