import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";
import { importSpecifiers } from "@parley/testing/architecture/import-specifiers.ts";
import { describe, expect, it } from "vitest";

const SOURCE = join(import.meta.dirname, "../packages/a2a/src");

/** The layers of the protocol runtime and what each may know: models, dialects, logic with its store, then the routes. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  tracing: [],
  dialects: ["protocol", "extension"],
  tasks: ["protocol", "dialects", "extension", "tracing"],
  push: ["protocol", "dialects", "tasks", "egress"],
  bindings: ["protocol", "dialects", "tasks", "cards", "push", "tracing"],
};

/** Which folders of the package the files of a folder import, tests and test-only code aside. */
function known(layer: string): string[] {
  const files = readdirSync(join(SOURCE, layer), { recursive: true, encoding: "utf8" });
  const shipped = files.filter((file) => /(?<!\.test)\.ts$/.test(file) && !/(^|\/)testing\//.test(file));
  const imported = shipped.flatMap((file) => {
    const path = join(SOURCE, layer, file);
    const specifiers = importSpecifiers(path, readFileSync(path, "utf8")).filter((it) => it.startsWith("."));
    return specifiers.map((it) => relative(SOURCE, join(dirname(path), it)).split(posix.sep)[0] ?? "");
  });
  return [...new Set(imported)].filter((folder) => folder !== layer).sort();
}

describe("the layers of the protocol runtime (S1.29)", () => {
  it.each(Object.entries(LAYERS))("%s imports no layer but %j", (layer, allowed) => {
    expect(known(layer).filter((folder) => !allowed.includes(folder))).toEqual([]);
  });
});
