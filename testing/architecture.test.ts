import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findViolations } from "./architecture.ts";
import { testFolder } from "./test-folder.ts";

/** A small repository that breaks no rule, with these files over it. */
async function repository(files: Record<string, string>): Promise<string> {
  const root = await testFolder({
    "package.json": manifest("parley", { devDependencies: { "fast-check": "1" } }),
    "packages/journal/package.json": manifest("@parley/journal", { dependencies: { pg: "1" } }),
    "packages/journal/src/index.ts": `import { Client } from "pg"; import "node:fs"; export * from "./journal.ts";`,
    "packages/journal/src/journal.test.ts": `import "fast-check"; import "@parley/testing/test-folder.ts";`,
    "packages/journal/src/contract/fixture.ts": `import "fast-check";`,
    "packages/a2a/package.json": manifest("@parley/a2a", { dependencies: { "@parley/journal": "1" } }),
    "packages/a2a/src/index.ts": `import "@parley/journal"; import "@parley/a2a"; import type {} from "#own";`,
    ...files,
  });
  execFileSync("git", ["init", "--quiet"], { cwd: root });
  return root;
}

function manifest(name: string, sections: object): string {
  return JSON.stringify({ name, ...sections });
}

describe("the architecture check", () => {
  it("finds no violation in this repository", () => {
    expect(findViolations(join(import.meta.dirname, ".."))).toEqual([]);
  });

  it("finds no violation in a repository that follows the rules", async () => {
    expect(findViolations(await repository({}))).toEqual([]);
  });
});

const source = "packages/journal/src/late.ts";

describe("a violation", () => {
  it.each([
    ["an import", `import { task } from "@parley/a2a";`],
    ["an import of types", `import type { Task } from "@parley/a2a";`],
    ["a re-export", `export { task } from "@parley/a2a";`],
    ["a dynamic import", "export const task = await import(`@parley/a2a`);"],
    ["an inline type", `export type Task = import("@parley/a2a").Task;`],
    ["a require", `export const task = require("@parley/a2a");`],
  ])("is %s against the arrows", async (_, code) => {
    const found = findViolations(await repository({ [source]: code }));
    expect(found).toEqual([
      { rule: "import against the arrows", path: source, detail: "imports @parley/a2a" },
    ]);
  });

  it("is the use of the test package by production code", async () => {
    const found = findViolations(await repository({ [source]: `import "@parley/testing/test-folder.ts";` }));
    expect(found).toMatchObject([{ rule: "import against the arrows", path: source }]);
  });

  it.each([
    "./testing/fixture.ts",
    "./faults/broken.ts",
    "./journal.test.ts",
    "@parley/a2a/testing/agent.ts",
  ])("is the import of %s by production code", async (specifier) => {
    const found = findViolations(await repository({ [source]: `import "${specifier}";` }));
    expect(found).toMatchObject([{ rule: "test code in the product", path: source }]);
  });

  it("is a setting that production code reads but docs/settings.md lacks, or vice versa", async () => {
    const code = "export const isBroken = process.env.PARLEY_BREAK; // as PARLEY_DATA, OPENAI_API_KEY";
    const pages = {
      "docs/settings.md": "| `PARLEY_DATA`, `PARLEY_GONE` | | the folder |\n",
      "docs/chaos.md": "| `PARLEY_BREAK` | | breaks it |\n",
    };
    const test = { "packages/journal/src/late.test.ts": "process.env.PARLEY_KILLS" };
    const found = findViolations(await repository({ [source]: code, ...pages, ...test }));
    expect(found).toEqual([
      { rule: "documented setting that nothing reads", path: "docs/settings.md", detail: "PARLEY_GONE" },
      { rule: "undocumented setting", path: source, detail: "reads PARLEY_BREAK" },
    ]);
  });

  it("is a name exported by two files of a package, or by two packages", async () => {
    const found = findViolations(
      await repository({
        "packages/journal/src/one.ts":
          "export interface Place {}\nexport function open1(): void;\nexport function open1() {}",
        "packages/journal/src/two.ts": "export const Place = 1;",
        "packages/journal/src/three.ts": "export type Usage = 1;",
        "packages/journal/src/index.ts": `export * from "./three.ts";\nexport { type Own as Cost } from "./four.ts";`,
        "packages/a2a/src/index.ts": `export { Usage } from "./usage.ts";\nexport { Cost } from "@parley/journal";`,
      }),
    );
    expect(found.map(({ rule, path, detail }) => [rule, path, detail.split(" ")[0]])).toEqual([
      ["name exported twice", "packages/a2a/src/index.ts", "Usage"],
      ["name exported twice", "packages/journal/src/index.ts", "Usage"],
      ["name exported twice", "packages/journal/src/one.ts", "Place"],
      ["name exported twice", "packages/journal/src/two.ts", "Place"],
    ]);
  });

  it.each(["Request", "Event", "Screen", "open", "fetch"])(
    "is an export that shadows the global %s",
    async (name) => {
      const found = findViolations(await repository({ [source]: `export function ${name}() {}` }));
      expect(found).toMatchObject([{ rule: "export that shadows a global", path: source }]);
    },
  );

  it.each([`../../a2a/src/index.ts`, "../../../package.json", "/etc/motd"])(
    "is the relative import %s",
    async (path) => {
      const found = findViolations(await repository({ [source]: `import "${path}";` }));
      expect(found).toEqual([
        { rule: "import that leaves its package", path: source, detail: `imports ${path}` },
      ]);
    },
  );

  it.each([
    ["testing", "../packages/journal/src/index.ts"],
    ["benchmarks", "../testing/test-folder.ts"],
  ])("is a relative import out of %s", async (folder, specifier) => {
    const path = `${folder}/late.ts`;
    const found = findViolations(await repository({ [path]: `import "${specifier}"; import "./near.ts";` }));
    expect(found).toEqual([{ rule: "import that leaves its package", path, detail: `imports ${specifier}` }]);
  });

  it("is any other relative import in a file with an exception, or the excepted import in another file", async () => {
    const encoding = "../../packages/journal/src/postgres/binary-array.ts";
    const found = findViolations(
      await repository({
        "benchmarks/journal/raw-limits.ts": `import "${encoding}"; import "../../packages/journal/src/index.ts";`,
        "benchmarks/journal/throughput.ts": `import "${encoding}";`,
      }),
    );
    expect(found).toMatchObject([
      { path: "benchmarks/journal/raw-limits.ts", detail: "imports ../../packages/journal/src/index.ts" },
      { path: "benchmarks/journal/throughput.ts" },
    ]);
  });

  it.each(["fast-check", "hono/streaming", "@scope/name/deep"])(
    "is the undeclared dependency %s",
    async (name) => {
      const found = findViolations(await repository({ [source]: `import "${name}";` }));
      expect(found).toEqual([{ rule: "undeclared dependency", path: source, detail: `imports ${name}` }]);
    },
  );

  it("is an import of an allowed package that package.json does not declare", async () => {
    const path = "packages/registry/src/index.ts";
    const found = findViolations(await repository({ [path]: `import "@parley/journal";` }));
    expect(found).toMatchObject([{ rule: "undeclared dependency", path }]);
  });

  it.each(["utils", "util", "helpers", "helper", "common", "misc", "shared", "Utils"])(
    "is a folder %s",
    async (name) => {
      const path = `docs/deep/${name}`;
      const found = findViolations(await repository({ [`${path}/a.md`]: "", [`${path}/more/b.md`]: "" }));
      expect(found).toMatchObject([{ rule: "folder without a subject", path }]);
    },
  );

  it("is a package without arrows", async () => {
    const found = findViolations(await repository({ "packages/extras/package.json": "{}" }));
    expect(found).toMatchObject([{ rule: "unknown package", path: "packages/extras" }]);
  });
});

describe("no violation", () => {
  it.each([
    ["a comment", `// import "@parley/a2a"\n/** {@link import("@parley/a2a")} */\n`],
    ["a string", `export const text = 'import "@parley/a2a"';`],
    ["a template", `export const text = \`import "@parley/a2a"; \${1} require("@parley/a2a")\`;`],
    [
      "a method called require",
      `export const answer = { require: (name: string) => name }.require("@parley/a2a");`,
    ],
  ])("is found in %s", async (_, code) => {
    expect(findViolations(await repository({ [source]: code }))).toEqual([]);
  });

  it("is found in files that Git ignores or in node_modules", async () => {
    const files = {
      ".gitignore": "dist\n",
      "dist/utils/a.ts": "",
      "packages/journal/node_modules/x/utils/a.js": "",
    };
    expect(findViolations(await repository(files))).toEqual([]);
  });
});
