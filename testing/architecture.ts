import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { declaredDependencies } from "./architecture/declared-dependencies.ts";
import { undocumentedSettings } from "./architecture/documented-settings.ts";
import { ambiguousExports } from "./architecture/exported-names.ts";
import { judgeImport, judgePath } from "./architecture/import-rules.ts";
import { importSpecifiers } from "./architecture/import-specifiers.ts";
import { packageArrows } from "./architecture/package-arrows.ts";
import { repositoryFiles } from "./architecture/repository-files.ts";
import type { Violation } from "./architecture/violation.ts";

const forbiddenFolders = new Set(["utils", "util", "helpers", "helper", "common", "misc", "shared"]);
const otherWorkspaces = ["testing", "benchmarks", "chaos", "tools"];

/** Reads every file of the repository at this root and lists what breaks the architecture, sorted by path. */
export function findViolations(root: string): Violation[] {
  const files = repositoryFiles(root);
  const packages = [...new Set(files.flatMap((file) => packageOf(file) ?? []))];
  const known = packages.filter((name) => Object.hasOwn(packageArrows, name));
  const unknown = packages.filter((name) => !known.includes(name));
  return [
    ...foldersWithoutSubject(files),
    ...unknown.map(unknownPackage),
    ...known.flatMap((name) => forbiddenImports(root, files, name)),
    ...undocumentedSettings(root, files),
    ...ambiguousExports(root, files),
    ...otherWorkspaces.flatMap((folder) => escapingImports(root, files, folder)),
  ].sort((a, b) => a.path.localeCompare(b.path));
}

function packageOf(file: string): string | undefined {
  return /^packages\/([^/]+)\//.exec(file)?.[1];
}

function foldersWithoutSubject(files: readonly string[]): Violation[] {
  return [...new Set(files.flatMap(foldersAbove))]
    .filter((folder) => forbiddenFolders.has(posix.basename(folder).toLowerCase()))
    .map((path) => ({ rule: "folder without a subject", path, detail: "name it after what it holds" }));
}

function foldersAbove(file: string): string[] {
  const names = file.split("/").slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}

function unknownPackage(name: string): Violation {
  return { rule: "unknown package", path: `packages/${name}`, detail: "give it its arrows first" };
}

function forbiddenImports(root: string, files: readonly string[], packageName: string): Violation[] {
  const own = declaredDependencies(join(root, "packages", packageName));
  const forTests = declaredDependencies(root).development;
  return files
    .filter((path) => packageOf(path) === packageName && isSource(path))
    .flatMap((path) =>
      importsOf(root, path).flatMap((it) => judgeImport(it, { path, packageName, own, forTests }) ?? []),
    );
}

function escapingImports(root: string, files: readonly string[], workspace: string): Violation[] {
  return files
    .filter((path) => path.startsWith(`${workspace}/`) && isSource(path))
    .flatMap((path) => importsOf(root, path).flatMap((it) => judgePath(it, path, workspace) ?? []));
}

function importsOf(root: string, path: string): string[] {
  return importSpecifiers(path, readFileSync(join(root, path), "utf8"));
}

function isSource(file: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(file);
}
