import type { Token, Tokens } from "marked";
import { BASE_PATH } from "../app/base-path.ts";
import { lex } from "../markdown/dialect.ts";
import type { MarkdownLabels } from "../markdown/markdown-view.ts";
import { MarkdownView } from "../markdown/markdown-view.ts";
import { unitsOf } from "../markdown/unit.ts";
import { docRoute, resolveDocLink } from "./doc-links.ts";
import { type DocPage, pictureUrl } from "./doc-pages.ts";
import { type DocSection, sectionsOf } from "./doc-sections.ts";

const DOCS = `${location.origin}${BASE_PATH}/docs`;
const DARK = (path: string) => path.replace(/-light\.png$/, "-dark.png");

/** Draws a page's Markdown below its title: headings get anchors, links lead to other pages here, pictures are shown. */
export function renderDoc(page: DocPage, root: HTMLElement, labels: MarkdownLabels & { link: string }): void {
  const text = page.text.replace(/^# .*\n/, "").replace(/^<!--.*-->$/gm, "");
  const tokens = lex(text);
  const images: string[] = [];
  eachToken(tokens, (token) => {
    if (token.type === "image") images.push(resolvedPath(page, token.href));
    if (token.type === "image" || token.type === "link") token.href = addressOf(page, token.href);
  });
  new MarkdownView(root, labels).apply({
    settled: unitsOf(tokens, false),
    tail: [],
    more: "",
    revised: new Map(),
  });
  const sections = sectionsOf(page.text).filter(({ depth }) => depth > 1);
  for (const [place, heading] of [...root.querySelectorAll(".md-heading")].entries())
    heading.replaceWith(anchoredHeading(heading, sections[place], labels.link));
  for (const [place, link] of [...root.querySelectorAll(".md-image")].entries())
    link.replaceWith(picture(images[place] ?? "", link.textContent));
  for (const link of root.querySelectorAll<HTMLAnchorElement>("a"))
    if (link.href === DOCS || link.href.startsWith(`${DOCS}/`)) {
      link.removeAttribute("target");
      link.removeAttribute("rel");
    }
}

function anchoredHeading(shown: Element, section: DocSection | undefined, label: string): HTMLElement {
  const heading = document.createElement(`h${Math.min(section?.depth ?? 2, 6)}`);
  heading.className = shown.className;
  heading.append(...shown.childNodes);
  if (!section) return heading;
  heading.id = section.slug;
  const anchor = document.createElement("a");
  anchor.className = "doc-anchor";
  anchor.href = `#${section.slug}`;
  anchor.textContent = "#";
  anchor.ariaLabel = `${label}: ${section.title}`;
  heading.append(" ", anchor);
  return heading;
}

function picture(path: string, text: string): HTMLElement {
  const figure = document.createElement("span");
  figure.className = "doc-picture";
  for (const [theme, file] of [
    ["light", path],
    ["dark", DARK(path)],
  ] as const) {
    const image = document.createElement("img");
    image.src = pictureUrl(file) ?? pictureUrl(path) ?? "";
    image.alt = text;
    image.loading = "lazy";
    image.className = `on-${theme}`;
    figure.append(image);
  }
  return figure;
}

/** An absolute address, since the Markdown view drops others; empty for files outside the documentation. */
function addressOf(page: DocPage, href: string): string {
  const link = resolveDocLink(page.path, href);
  if (link.type === "address") return link.address;
  const route = docRoute(link.path);
  if (route === undefined) return "";
  return `${DOCS}${route === "/" ? "" : route}${link.anchor ? `#${link.anchor}` : ""}`;
}

function resolvedPath(page: DocPage, href: string): string {
  const link = resolveDocLink(page.path, href);
  return link.type === "file" ? link.path : "";
}

function eachToken(tokens: readonly Token[], visit: (token: Tokens.Generic) => void): void {
  for (const token of tokens as readonly Tokens.Generic[]) {
    visit(token);
    const {
      items = [],
      header = [],
      rows = [],
    } = token as Partial<Pick<Tokens.List, "items">> & Partial<Pick<Tokens.Table, "header" | "rows">>;
    const cells = [...header, ...rows.flat()].flatMap((cell) => cell.tokens);
    eachToken([...(token.tokens ?? []), ...items, ...cells], visit);
  }
}
