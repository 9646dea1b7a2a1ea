import { SHORTCUTS } from "../app/keys.ts";
import { LANGUAGES, type Language, setLanguage, t } from "../app/strings/language.ts";
import { setTheme, THEMES } from "../app/theme/theme.ts";
import type { PaletteCommand } from "./palette-items.ts";

/** All that the palette can do by name. */
export function paletteCommands(navigate: (path: string) => void): readonly PaletteCommand[] {
  const pages = ["inbox", "agents", "workspace", "settings"] as const;
  const languages = Object.keys(LANGUAGES) as Language[];
  return [
    {
      ...{ id: "new", label: t().app.newConversation, keys: SHORTCUTS.newConversation.keys },
      run: () => navigate("/"),
    },
    ...pages.map((page) => ({
      ...{ id: page, label: t().palette.goTo(t().app[page]) },
      run: () => navigate(`/${page}`),
    })),
    ...THEMES.map((theme) => ({
      ...{ id: `theme-${theme}`, label: t().palette.theme(t().theme[theme]) },
      run: () => setTheme(theme),
    })),
    ...languages.map((language) => ({
      ...{ id: `language-${language}`, label: t().palette.language(LANGUAGES[language].languageName) },
      run: () => setLanguage(language),
    })),
  ];
}
