import { existsSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { PlainError } from "./plain-error.mjs";

const fileName = "npm-cli.js";

/**
 * Finds the npm of this machine as a JavaScript file, so that any Node can run it.
 * @param {NodeJS.ProcessEnv} [environment]
 * @param {string} [nodePath]
 */
export function findNpm(environment = process.env, nodePath = process.execPath) {
  const onPath = (environment.PATH ?? "").split(delimiter).map((folder) => join(folder, "npm"));
  const candidates = [
    // Npm sets it for the scripts it runs; other package managers set it to themselves.
    environment.npm_execpath ?? "",
    ...onPath.filter((path) => existsSync(path)).map((path) => realpathSync(path)),
    join(dirname(nodePath), "../lib/node_modules/npm/bin", fileName),
    join(dirname(nodePath), "node_modules/npm/bin", fileName),
  ];
  const found = candidates.find((path) => basename(path) === fileName && existsSync(path));
  if (found) return found;
  throw new PlainError(
    "npm was not found: install Node.js together with npm from https://nodejs.org and run the command again.",
  );
}
