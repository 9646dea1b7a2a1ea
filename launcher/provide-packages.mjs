import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { workAlone } from "./claim.mjs";
import { makeFolder } from "./folder.mjs";
import { majorOf } from "./node-runtime.mjs";
import { runNpm } from "./npm.mjs";
import { PlainError } from "./plain-error.mjs";
import { showProgress } from "./progress.mjs";

/** @typedef {import('./node-runtime.mjs').NodeRuntime} NodeRuntime */

/** What `node_modules` holds: all that package-lock.json names, or all but what only development needs. */
/** @typedef {"all" | "production"} PackageSet */

/**
 * Installs what package-lock.json names, unless the last complete install was of the same lock, Node and platform.
 * Where all packages are there, they serve for production too, so that no command undoes the install of another.
 * @param {string} project
 * @param {NodeRuntime} node
 * @param {PackageSet} set
 */
export async function providePackages(project, node, set) {
  const all = stampOf(project, node);
  const stamps = { all: [all], production: [all, `${all}without development packages\n`] }[set];
  if (isInstalled(project, stamps)) return;
  await workAlone(join(project, ".node"), async () => {
    if (isInstalled(project, stamps)) return;
    const stamp = stamps.at(-1) ?? all;
    await showProgress("installing packages", () => install(project, node, { set, stamp }));
  });
}

/**
 * @param {string} project
 * @param {NodeRuntime} node
 * @param {{ set: PackageSet, stamp: string }} wanted
 */
async function install(project, node, { set, stamp }) {
  // Before npm removes anything: the rest of a failed install is never taken for a complete one.
  rmSync(stampFile(project), { force: true });
  await runNpm(["ci", set === "all" ? "--include=dev" : "--omit=dev"], {
    purpose: "install the packages",
    node,
    project,
    log: join(project, ".node", "install.log"),
  });
  makeFolder(join(project, "node_modules"));
  writeFileSync(stampFile(project), stamp);
}

/**
 * @param {string} project
 * @param {string[]} stamps
 */
function isInstalled(project, stamps) {
  return existsSync(stampFile(project)) && stamps.includes(readFileSync(stampFile(project), "utf8"));
}

/**
 * @param {string} project
 * @param {NodeRuntime} node
 */
function stampOf(project, node) {
  const lock = join(project, "package-lock.json");
  if (!existsSync(lock))
    throw new PlainError(`${lock} is missing: restore it with "git restore package-lock.json".`);
  const hash = createHash("sha256").update(readFileSync(lock)).digest("hex");
  return `${hash} node-${majorOf(node)} ${process.platform}-${process.arch}\n`;
}

/** @param {string} project */
function stampFile(project) {
  return join(project, "node_modules", ".parley-installed");
}
