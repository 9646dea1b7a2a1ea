const FOLDER = "docs/";

type DocLink =
  | { readonly type: "file"; readonly path: string; readonly anchor: string }
  | { readonly type: "address"; readonly address: string };

/** Resolves a link as code hosts do: relative to the file it stands in. Paths are relative to the repository. */
export function resolveDocLink(from: string, href: string): DocLink {
  if (/^[a-z]+:/i.test(href)) return { type: "address", address: href };
  const { pathname, hash } = new URL(href, `file:///${from}`);
  return { type: "file", path: decodeURI(pathname.slice(1)), anchor: decodeURIComponent(hash.slice(1)) };
}

/** The path below `/docs` at which a file of the repository is shown; undefined: it is not part of the documentation. */
export function docRoute(path: string): string | undefined {
  if (!path.startsWith(FOLDER) || !path.endsWith(".md")) return undefined;
  const name = path.slice(FOLDER.length, -".md".length);
  return `/${name.replace(/(^|\/)README$/, "")}`.replace(/(?<=.)\/$/, "");
}
