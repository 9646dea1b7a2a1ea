import type { Tokens } from "marked";
import { appendCode } from "./code-parts.ts";
import { element } from "./element.ts";
import type { MarkdownLabels } from "./labels.ts";

/** A block of code under its language, with a button that copies it. */
export function renderCode({ lang = "", text }: Tokens.Code, labels: MarkdownLabels): HTMLElement {
  const language = /^[\w+#.-]{1,24}/.exec(lang.trim())?.[0] ?? "";
  const code = element("code", "");
  appendCode(code, text.replace(/(?<!\n)\n+$/, ""));
  const box = element("pre", "", code);
  box.dir = "ltr";
  box.tabIndex = 0;
  const copy = element("button", "md-copy", labels.copy);
  copy.type = "button";
  const label = element("span", "md-language", language || labels.code);
  const figure = element("figure", "md-block", element("figcaption", "", label, copy), box);
  if (language) figure.dataset.language = language.toLowerCase();
  return figure;
}
