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

/**
 * Installs what package-lock.json names, unless the last complete install was of the same lock, Node and platform.
 * @param {string} project
 * @param {NodeRuntime} node
 */
export async function providePackages(project, node) {
  const stamp = stampOf(project, node);
  if (isInstalled(project, stamp)) return;
  await workAlone(join(project, ".node"), async () => {
    if (!isInstalled(project, stamp))
      await showProgress("installing packages", () => install(project, node, stamp));
  });
}

/**
 * @param {string} project
 * @param {NodeRuntime} node
 * @param {string} stamp
 */
async function install(project, node, stamp) {
  // Before npm takes anything away: what is left of an install that failed is never taken for a complete one.
  rmSync(stampFile(project), { force: true });
  await runNpm(["ci", "--include=dev"], {
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
 * @param {string} stamp
 */
function isInstalled(project, stamp) {
  return existsSync(stampFile(project)) && readFileSync(stampFile(project), "utf8") === stamp;
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
