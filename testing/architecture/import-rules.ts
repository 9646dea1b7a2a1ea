import { isBuiltin } from "node:module";
import { posix } from "node:path";
import type { DeclaredDependencies } from "./declared-dependencies.ts";
import { importExceptions } from "./import-exceptions.ts";
import { packageArrows } from "./package-arrows.ts";
import type { Violation } from "./violation.ts";

/** The file in which an import stands, its path relative to the repository, and what its package may use. */
export interface Importer {
  readonly path: string;
  readonly packageName: string;
  readonly own: DeclaredDependencies;
  /** The repository's devDependencies. */
  readonly forTests: ReadonlySet<string>;
}

/** Says what is wrong with one import of a package, or nothing when it is allowed. */
export function judgeImport(specifier: string, importer: Importer): Violation | undefined {
  const { path, packageName } = importer;
  if (isBuiltin(specifier) || specifier.startsWith("#")) return undefined;
  if (!isForDevelopment(path) && isForDevelopment(specifier) && !specifier.startsWith("@parley/testing/"))
    return { rule: "test code in the product", path, detail: `imports ${specifier}` };
  if (isPath(specifier)) return judgePath(specifier, path, `packages/${packageName}`);
  const dependency = dependencyName(specifier);
  if (!followsArrows(dependency, importer)) {
    return { rule: "import against the arrows", path, detail: `imports ${specifier}` };
  }
  return isDeclared(dependency, importer)
    ? undefined
    : { rule: "undeclared dependency", path, detail: `imports ${specifier}` };
}

/** Says so when a file of this workspace imports, by path, one that lies outside of it. */
export function judgePath(specifier: string, path: string, workspace: string): Violation | undefined {
  if (!isPath(specifier)) return undefined;
  const imported = specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : specifier;
  if (imported.startsWith(`${workspace}/`) || importExceptions[path]?.includes(imported)) return undefined;
  return { rule: "import that leaves its package", path, detail: `imports ${specifier}` };
}

function isPath(specifier: string): boolean {
  return /^(\.|\/|file:)/.test(specifier);
}

function dependencyName(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

function followsArrows(dependency: string, { path, packageName }: Importer): boolean {
  const [scope, name = ""] = dependency.split("/");
  if (scope !== "@parley" || name === packageName) return true;
  if (name === "testing") return isForDevelopment(path);
  return packageArrows[packageName]?.includes(name) ?? false;
}

function isDeclared(dependency: string, { path, own, forTests }: Importer): boolean {
  if (own.shipped.has(dependency)) return true;
  if (!isForDevelopment(path)) return false;
  return own.development.has(dependency) || forTests.has(dependency) || dependency === "@parley/testing";
}

/** Whether it never ships: tests, the folders that only serve them, and the configuration of a build tool. */
export function isForDevelopment(path: string): boolean {
  return /\.(test|config)\.[^/]+$|\/(contract|faults|testing)\//.test(path);
}
