import { hasAll, highlighted, type TextPiece, wordsOf } from "../search/highlight.ts";
import type { DocPage } from "./doc-pages.ts";
import { type DocSection, sectionsOf } from "./doc-sections.ts";

/** A section in which every word was found. */
export interface DocHit {
  readonly page: DocPage;
  readonly section: DocSection;
  /** The place of the first hit, with what was searched for apart. */
  readonly excerpt: readonly TextPiece[];
}

const MAX_HITS = 30;
const EXCERPT = 180;
const BEFORE = 50;

let sections: readonly { readonly page: DocPage; readonly section: DocSection }[] | undefined;

/** The sections that have a word beginning with each word of the query: first those that have them in a title. */
export function searchDocs(pages: Iterable<DocPage>, query: string): readonly DocHit[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  // The start page only lists the others.
  sections ??= [...pages]
    .filter(({ route }) => route !== "/")
    .flatMap((page) => sectionsOf(page.text).map((section) => ({ page, section })));
  return sections
    .filter(({ page, section }) => hasAll(`${page.title} ${section.title} ${section.text}`, words))
    .map((found) => ({ ...found, rank: rankOf(found.page, found.section, words) }))
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => other.rank - one.rank)
    .slice(0, MAX_HITS)
    .map(({ page, section }) => ({ page, section, excerpt: excerptOf(section.text, words) }));
}

/** 0 where the section has none of the words; decisions rank below other pages. */
function rankOf(page: DocPage, { title, depth, text }: DocSection, words: readonly string[]): number {
  const weight = page.route.startsWith("/decisions") ? 0.5 : 1;
  if (hasAll(title, words)) return weight * (depth === 1 ? 4 : 3);
  if (hasAll(`${title} ${text}`, words)) return weight * 2;
  return words.some((word) => hasAll(`${title} ${text}`, [word])) ? weight : 0;
}

function excerptOf(text: string, words: readonly string[]): readonly TextPiece[] {
  const flat = text.replace(/\s+/g, " ").trim();
  const before = highlighted(flat, words)[0];
  const first = before && !before.isHit && before.text.length < flat.length ? before.text.length : 0;
  const start = first <= BEFORE ? 0 : flat.indexOf(" ", first - BEFORE) + 1;
  const isWhole = start + EXCERPT >= flat.length;
  const cut = isWhole ? flat.slice(start) : flat.slice(start, flat.lastIndexOf(" ", start + EXCERPT));
  const shown = `${start > 0 ? "… " : ""}${cut}${isWhole ? "" : " …"}`;
  return highlighted(shown, words);
}
