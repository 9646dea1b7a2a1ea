import { createSignal } from "solid-js";

/** How the page may look; `system` follows the device, without any script. */
export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** The script in the page's head reads the same. */
const KEPT_AS = "parley-theme";
const [theme, setSignal] = createSignal<Theme>(
  THEMES.find((each) => each === document.documentElement.dataset.theme) ?? "system",
);

/** The theme that was chosen. */
export { theme };

/** Looks like this from now on, also at the next visit. */
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
