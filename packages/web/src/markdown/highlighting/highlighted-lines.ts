import {
  createCssVariablesTheme,
  createHighlighterCore,
  type GrammarState,
  type ThemedToken,
} from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import { aliases, languages } from "./languages.ts";

const linesAtOnce = 40;
const lineLimit = 1000;
const theme = createCssVariablesTheme({ name: "md", variablePrefix: "--" });
const highlighter = createHighlighterCore({
  themes: [theme],
  langs: [],
  engine: createJavaScriptRegexEngine({ forgiving: true }),
});

/** The nodes of highlighted code, its colours as classes; nothing for a language that is not known. */
export async function highlightedLines(code: string, name: string): Promise<Node[] | undefined> {
  const lang = aliases[name] ?? name;
  const language = Object.hasOwn(languages, lang) ? languages[lang] : undefined;
  const lines = code.split("\n");
  if (!language || lines.some((line) => line.length > lineLimit)) return undefined;
  const shiki = await highlighter;
  await shiki.loadLanguage(language);
  const nodes: Node[] = [];
  let grammarState: GrammarState | undefined;
  for (let start = 0; start < lines.length; start += linesAtOnce) {
    const part = lines.slice(start, start + linesAtOnce).join("\n");
    const tokens = shiki.codeToTokensBase(part, { lang, theme: "md", ...(grammarState && { grammarState }) });
    grammarState = shiki.getLastGrammarState(tokens);
    for (const [index, line] of tokens.entries()) {
      if (start + index > 0) nodes.push(document.createTextNode("\n"));
      nodes.push(...line.map(tokenNode));
    }
    // The page is answered between the parts of a long block.
    await new Promise((resolve) => setTimeout(resolve));
  }
  return nodes;
}

function tokenNode({ content, color }: ThemedToken): Node {
  const kind = /^var\(--(?:token-)?([a-z-]+)\)$/.exec(color ?? "")?.[1];
  if (!kind || kind === "foreground") return document.createTextNode(content);
  const span = document.createElement("span");
  span.className = `md-token-${kind}`;
  span.textContent = content;
  return span;
}
