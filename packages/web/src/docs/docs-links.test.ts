import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { docRoute, resolveDocLink } from "./doc-links.ts";
import { sectionsOf } from "./doc-sections.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const FILES = globSync(
  ["*.md", "docs/**/*.md", "agents/README.md", "chaos/*.md", "conformance/golden/README.md"],
  {
    cwd: ROOT,
  },
);

/** The links of a Markdown file to files that do not exist, or to anchors that their files do not have. */
function deadLinks(file: string, text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, href = ""]) => href)
    .filter((href) => {
      const link = resolveDocLink(file, href);
      if (link.type === "address") return false;
      const path = link.path || file;
      if (!existsSync(join(ROOT, path))) return true;
      if (link.anchor === "") return false;
      const target = path === file ? text : readFileSync(join(ROOT, path), "utf8");
      return !sectionsOf(target).some(({ slug }) => slug === link.anchor);
    });
}

describe("the Markdown files of the repository", () => {
  it.each(FILES)("%s has no dead link", (file) => {
    expect(deadLinks(file, readFileSync(join(ROOT, file), "utf8"))).toEqual([]);
  });

  it("are rejected when they link to a file or an anchor that is gone", () => {
    const text =
      "# Here\n[a](gone.md) [b](settings.md#gone) [c](#gone) [d](#here) [e](settings.md#limits) [f](https://a.example)";
    expect(deadLinks("docs/api.md", text)).toEqual(["gone.md", "settings.md#gone", "#gone"]);
  });

  it("are all listed: pages by docs/README.md, decisions and clients by theirs", () => {
    const linked = (file: string) =>
      [...readFileSync(join(ROOT, file), "utf8").matchAll(/\]\(([^)#\s]+\.md)\)/g)].map(([, href = ""]) =>
        join(dirname(file), href),
      );
    const listed = new Set([
      ...linked("docs/README.md"),
      ...linked("docs/decisions/README.md"),
      "docs/README.md",
    ]);
    const pages = FILES.filter((file) => docRoute(file) !== undefined);
    expect(pages.filter((file) => !listed.has(file))).toEqual([]);
  });

  it("have one title each, first in the file", () => {
    for (const file of FILES) {
      const titles = sectionsOf(readFileSync(join(ROOT, file), "utf8")).filter(({ depth }) => depth === 1);
      expect([file, titles.length]).toEqual([file, 1]);
      expect(readFileSync(join(ROOT, file), "utf8")).toMatch(/^# /);
    }
  });
});

describe("docRoute", () => {
  it.each([
    ["docs/README.md", "/"],
    ["docs/settings.md", "/settings"],
    ["docs/clients/README.md", "/clients"],
    ["docs/clients/ag-ui.md", "/clients/ag-ui"],
    ["README.md", undefined],
    ["docs/grafana/parley.json", undefined],
  ])("shows %s at %s", (path, route) => {
    expect(docRoute(path)).toBe(route);
  });
});

describe("sectionsOf", () => {
  it("gives headings the anchors that code hosts give them, and counts repeated ones", () => {
    const text = "# A `b_c` (d), e\n```sh\n# no heading\n```\n## Äpfel & more\n## x\n## [x](y.md)\n";
    expect(sectionsOf(text).map(({ slug, depth }) => [slug, depth])).toEqual([
      ["a-b_c-d-e", 1],
      ["äpfel--more", 2],
      ["x", 2],
      ["x-1", 2],
    ]);
  });
});
