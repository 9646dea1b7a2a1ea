import { createCssVariablesTheme, createHighlighterCore, type ThemedToken } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import { aliases, languages } from "./languages.ts";

/** A piece of code, and the kind of thing that it is, where it is one. */
export type ColouredPiece = readonly [text: string, kind?: string];

const lineLimit = 1000;
const theme = createCssVariablesTheme({ name: "md", variablePrefix: "--" });
const highlighter = createHighlighterCore({
  themes: [theme],
  langs: [],
  engine: createJavaScriptRegexEngine({ forgiving: true }),
});

/** Code in coloured pieces; nothing for a language that is not known. It takes long: for a worker. */
export async function colouredCode(code: string, name: string): Promise<ColouredPiece[] | undefined> {
  const lang = aliases[name] ?? name;
  const language = Object.hasOwn(languages, lang) ? languages[lang] : undefined;
  if (!language || code.split("\n").some((line) => line.length > lineLimit)) return undefined;
  const shiki = await highlighter;
  await shiki.loadLanguage(language);
  const lines = shiki.codeToTokensBase(code, { lang, theme: "md" });
  return lines.flatMap((line, at) => [...(at > 0 ? [["\n"] as const] : []), ...line.map(pieceOf)]);
}

function pieceOf({ content, color }: ThemedToken): ColouredPiece {
  const kind = /^var\(--(?:token-)?([a-z-]+)\)$/.exec(color ?? "")?.[1];
  return !kind || kind === "foreground" ? [content] : [content, kind];
}
