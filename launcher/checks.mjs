import { PlainError } from "./plain-error.mjs";
import { hasColours, showOutcome, showProgress } from "./progress.mjs";

/** @typedef {import('./set-up.mjs').Workshop} Workshop */

/**
 * Throws what is wrong with the format, or what the linter found.
 * @param {Workshop} workshop
 */
export async function checkFormatAndLint(workshop) {
  const script = workshop.scriptOf("@biomejs/biome", "biome");
  const colours = hasColours() ? ["--colors=force"] : [];
  await check(workshop, {
    label: "format and lint",
    // A warning that passes the check would never be seen.
    runs: [[script, "check", "--error-on-warnings", ...colours, "."]],
    advice: 'Format or lint failed: "npm run format" mends what it can, the rest is listed above.',
  });
}

/**
 * Throws the compiler's type errors.
 * @param {Workshop} workshop
 */
export async function checkTypes(workshop) {
  const script = workshop.scriptOf("typescript", "tsc");
  // Browser code has other globals than Node code.
  const projects = [".", "packages/web"];
  await check(workshop, {
    label: "types",
    runs: projects.map((project) => [script, "-p", project, "--pretty", String(hasColours())]),
    advice: "The types do not fit: see above.",
  });
}

/**
 * Throws which regular expressions cost more than their input is long.
 * @param {Workshop} workshop
 */
export async function checkRegularExpressions(workshop) {
  await check(workshop, {
    label: "regular expressions",
    runs: [["tools/regexp-lint/main.mjs"]],
    advice: "A regular expression could keep the event loop busy: see above.",
  });
}

/**
 * Throws which files, exports and dependencies nothing uses.
 * @param {Workshop} workshop
 */
export async function checkUnused(workshop) {
  const script = workshop.scriptOf("knip", "knip");
  await check(workshop, {
    label: "unused code",
    runs: [[script, "--config", "tools/knip/knip.json", "--treat-config-hints-as-errors"]],
    advice:
      "Nothing uses what is listed above: delete it, or drop the `export` of what only its own file uses. " +
      "A new program that nothing imports is an entry in tools/knip/knip.json.",
  });
}

/**
 * Throws when the project lies where vitest, which takes paths for URLs, would look for it elsewhere.
 * @param {string} project
 */
export function refuseUnfitPath(project) {
  const unfit = project.match(/[#?%]/)?.[0];
  if (!unfit) return;
  throw new PlainError(
    `Tests cannot run in ${project}: vitest cannot handle the "${unfit}" in that path; move the clone to one without.`,
  );
}

/**
 * Runs the tests whose path contains one of the arguments, or all, and returns vitest's exit code.
 * @param {Workshop} workshop
 * @param {string[]} args
 */
export async function runTests(workshop, args) {
  const started = performance.now();
  const exitCode = await workshop.run([workshop.scriptOf("vitest", "vitest"), "run", ...args]);
  showOutcome("tests", { started, succeeded: exitCode === 0 });
  return exitCode;
}

/**
 * @param {Workshop} workshop
 * @param {{ label: string, runs: string[][], advice: string }} step
 */
async function check(workshop, { label, runs, advice }) {
  await showProgress(label, async () => {
    for (const args of runs) {
      const { exitCode, output } = await workshop.runQuietly(args);
      if (exitCode !== 0) throw new PlainError(advice, { details: output, exitCode });
    }
  });
}
