import { docRoute, resolveDocLink } from "./doc-links.ts";
import { sectionsOf, titleOf } from "./doc-sections.ts";

/** A Markdown file of `docs/`, and where it is shown. */
export interface DocPage {
  /** Relative to the repository. */
  readonly path: string;
  /** Below `/docs`; the start page is `/`. */
  readonly route: string;
  readonly title: string;
  readonly text: string;
}

interface DocGroup {
  readonly title: string;
  readonly links: readonly { readonly title: string; readonly route: string }[];
}

const TEXTS = import.meta.glob<string>("../../../../docs/**/*.md", {
  query: "?raw",
  import: "default",
  eager: true,
});
const PICTURES = import.meta.glob<string>("../../../../docs/screenshots/*.png", {
  query: "?url",
  import: "default",
  eager: true,
});

const repositoryPath = (path: string) => path.replace(/^(?:\.\.\/)+/, "");

const pictures = new Map(Object.entries(PICTURES).map(([path, url]) => [repositoryPath(path), url]));

/** All pages by their route. */
export const PAGES: ReadonlyMap<string, DocPage> = new Map(
  Object.entries(TEXTS).map(([file, text]) => {
    const path = repositoryPath(file);
    const route = docRoute(path) ?? "";
    return [route, { path, route, title: titleOf(text), text }];
  }),
);

/** The navigation: what the start page lists, under its headings. */
export const GROUPS: readonly DocGroup[] = groups(PAGES.get("/"));

/** The address of a picture in the repository. */
export function pictureUrl(path: string): string | undefined {
  return pictures.get(path);
}

function groups(start: DocPage | undefined): DocGroup[] {
  if (!start) return [];
  const parts = start.text.split(/^## /m).slice(1);
  return sectionsOf(start.text)
    .filter(({ depth }) => depth === 2)
    .map(({ title }, place) => ({
      title,
      links: [...(parts[place] ?? "").matchAll(/^ *- \[(.+?)\]\((.+?)\)/gm)].flatMap(
        ([, text = "", href = ""]) => {
          const link = resolveDocLink(start.path, href);
          const route = link.type === "file" ? docRoute(link.path) : undefined;
          return route === undefined ? [] : [{ title: text, route }];
        },
      ),
    }))
    .filter(({ links }) => links.length > 0);
}
