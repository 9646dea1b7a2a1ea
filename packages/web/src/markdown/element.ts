/** The elements that Markdown can become: there is no other way to make one, so nothing else can appear. */
export type MarkdownElement =
  | "a"
  | "blockquote"
  | "br"
  | "button"
  | "code"
  | "del"
  | "div"
  | "em"
  | "figure"
  | "figcaption"
  | "h3"
  | "h4"
  | "h5"
  | "h6"
  | "hr"
  | "input"
  | "kbd"
  | "li"
  | "mark"
  | "ol"
  | "p"
  | "pre"
  | "span"
  | "strong"
  | "sub"
  | "sup"
  | "table"
  | "tbody"
  | "td"
  | "th"
  | "thead"
  | "tr"
  | "ul";

/** A new element with these classes and children; strings become text. */
export function element<Name extends MarkdownElement>(
  name: Name,
  classes: string,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  if (classes) made.className = classes;
  made.append(...children);
  return made;
}

/** The same for text that reads from right to left or from left to right, as it says itself. */
export function textElement<Name extends MarkdownElement>(
  name: Name,
  classes: string,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = element(name, classes, ...children);
  made.dir = "auto";
  return made;
}
