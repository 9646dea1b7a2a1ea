/** A heading with the text below it, up to the next heading. */
export interface DocSection {
  readonly title: string;
  /** 1 for the page's title. */
  readonly depth: number;
  /** The anchor: unique on its page, and the one that code hosts give the same heading. */
  readonly slug: string;
  readonly text: string;
}

/** The sections of a Markdown page, in order; a `#` within a block of code is no heading. */
export function sectionsOf(markdown: string): readonly DocSection[] {
  const sections: { title: string; depth: number; lines: string[] }[] = [];
  let fence = "";
  for (const line of markdown.split("\n")) {
    const mark = /^ *(```+|~~~+)/.exec(line)?.[1] ?? "";
    if (fence === "") fence = mark;
    else if (mark.startsWith(fence)) fence = "";
    const heading = fence === "" ? /^(#{1,6}) (.*)$/.exec(line) : null;
    if (heading)
      sections.push({ title: plainText(heading[2] ?? "").trim(), depth: heading[1]?.length ?? 1, lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  const seen = new Map<string, number>();
  return sections.map(({ title, depth, lines }) => {
    const slug = slugOf(title);
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return { title, depth, slug: count === 0 ? slug : `${slug}-${count}`, text: plainText(lines.join("\n")) };
  });
}

/** The text of a page's title. */
export function titleOf(markdown: string): string {
  return sectionsOf(markdown)[0]?.title ?? "";
}

function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");
}

function plainText(markdown: string): string {
  return markdown
    .replace(/<!--.*?-->/g, "")
    .replace(/!?\[([^[\]]{0,200})\]\([^()]{0,300}\)/g, "$1")
    .replace(/\*\*|`/g, "")
    .replace(/^[|:\- ]+$/gm, "")
    .replace(/^ *(?:[-*]|\d+\.) /gm, "")
    .replaceAll("|", " ");
}
