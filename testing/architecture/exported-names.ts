import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import type { Violation } from "./violation.ts";

const DECLARED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:class|const|enum|function\*?|interface|let|type) (\w+)/gm;
const LISTED = /^export (?:type )?\{([^}]*)\}(?: from "([^"]+)")?/gm;
const STARRED = /^export \* from "(\.[^"]+)"/gm;

/** Globals that only browsers have; Node's own are looked up. */
const BROWSER_GLOBALS = new Set(
  "Comment Document Element History Image Location Node Notification Option Range Screen Selection Text Window"
    .split(" ")
    .concat(
      "alert close confirm event find focus name open origin parent print prompt screen status stop top".split(
        " ",
      ),
    ),
);

/** Names that production code exports twice within a package or among entry points, or that shadow a global. */
export function ambiguousExports(root: string, files: readonly string[]): Violation[] {
  const shipped = files.filter(
    (file) =>
      /^packages\/[^/]+\/src\/.*\.tsx?$/.test(file) && !/\.test\.tsx?$|\/testing\/|generated/.test(file),
  );
  const declared = shipped.flatMap((path) => declaredIn(root, path).map((name) => ({ name, path })));
  const packages = Map.groupBy(declared, ({ path, name }) => `${path.split("/")[1]} ${name}`);
  const entries = shipped.filter((path) => /^packages\/[^/]+\/src\/index\.ts$/.test(path));
  const offered = Map.groupBy(
    entries.flatMap((path) => [...offeredBy(root, path)].map((name) => ({ name, path }))),
    ({ name }) => name,
  );
  return [
    ...declared.filter(({ name }) => isGlobal(name)).map(({ name, path }) => shadowing(name, path)),
    ...[...packages.values(), ...offered.values()].filter((places) => places.length > 1).flatMap(repeated),
  ];
}

function isGlobal(name: string): boolean {
  return name in globalThis || BROWSER_GLOBALS.has(name);
}

function shadowing(name: string, path: string): Violation {
  return { rule: "export that shadows a global", path, detail: `${name}: name what is special about it` };
}

function repeated(places: readonly { readonly name: string; readonly path: string }[]): Violation[] {
  return places.map(({ name, path }) => {
    const others = places.filter((other) => other.path !== path).map((other) => other.path);
    return {
      rule: "name exported twice",
      path,
      detail: `${name} is exported by ${others.join(" and ")} too`,
    };
  });
}

function declaredIn(root: string, path: string): string[] {
  const names = [...readFileSync(join(root, path), "utf8").matchAll(DECLARED)].map(([, name = ""]) => name);
  // A function with overloads is one.
  return [...new Set(names)];
}

/** The names that a module exports of its own package; what it passes on from another package is that one's. */
function offeredBy(root: string, path: string): Set<string> {
  const text = readFileSync(join(root, path), "utf8");
  const listed = [...text.matchAll(LISTED)]
    .filter(([, , from = "."]) => from.startsWith("."))
    .flatMap(([, names = ""]) => names.split(","))
    .map((name) => name.trim().split(/\s+/).at(-1) ?? "")
    .filter(Boolean);
  const starred = [...text.matchAll(STARRED)]
    .map(([, from = ""]) => posix.join(posix.dirname(path), from))
    .filter((file) => existsSync(join(root, file)))
    .flatMap((file) => [...offeredBy(root, file)]);
  return new Set([...declaredIn(root, path), ...listed, ...starred]);
}
