import { readFileSync } from "node:fs";
import { join } from "node:path";
import { environmentFor } from "./node-runtime.mjs";
import { colourChoice } from "./progress.mjs";
import { provideNode } from "./provide-node.mjs";
import { providePackages } from "./provide-packages.mjs";
import { runInForeground, runQuietly } from "./run-child.mjs";

/** @typedef {Awaited<ReturnType<typeof setUp>>} Workshop */

/**
 * Makes Node and the packages ready, and returns the means to run scripts with them in the project's folder.
 * @param {string} project
 * @param {import("./provide-packages.mjs").PackageSet} [packages]
 */
export async function setUp(project, packages = "all") {
  const node = await provideNode(project);
  await providePackages(project, node, packages);
  const place = { cwd: project, env: environmentFor(node) };
  return {
    /**
     * @param {string[]} args a script and its arguments
     * @param {Record<string, string>} [env] what it finds in its environment beside the rest
     */
    run: (args, env) =>
      runInForeground(node.path, args, { ...place, env: { ...place.env, ...colourChoice(), ...env } }),
    /** @param {string[]} args a script and its arguments */
    runQuietly: (args) => runQuietly(node.path, args, place),
    /**
     * Finds the script of a package's command; `node_modules/.bin` holds shell scripts on Windows.
     * @param {string} packageName
     * @param {string} command
     */
    scriptOf: (packageName, command) => {
      const folder = join(project, "node_modules", packageName);
      const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      return join(folder, bin[command]);
    },
  };
}
