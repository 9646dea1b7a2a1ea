import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
    // A warning that let the check pass would never be seen.
    runs: [[script, "check", "--error-on-warnings", ...colours, "."]],
    advice: 'Format or lint failed: "npm run format" mends what it can, the rest is listed above.',
  });
}

/**
 * Throws what the compiler says against the types.
 * @param {Workshop} workshop
 */
export async function checkTypes(workshop) {
  const script = workshop.scriptOf("typescript", "tsc");
  // What runs in a browser knows other things than what runs in Node.
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

/** More than these are no accident of a busy machine. */
const MOST_FILES_AGAIN = 5;

/**
 * Runs the tests whose path contains one of the arguments, or all, and returns vitest's exit code. Files that fail
 * beside all others get a second run by themselves: what passes then is named, because it depends on the load.
 * @param {Workshop} workshop
 * @param {string[]} args
 */
export async function runTests(workshop, args) {
  const started = performance.now();
  const folder = mkdtempSync(join(tmpdir(), "parley-tests-"));
  const note = join(folder, "failed-files.json");
  const vitest = [workshop.scriptOf("vitest", "vitest"), "run"];
  let exitCode = await workshop.run([...vitest, ...args], { PARLEY_FAILED_FILES: note });
  /** @type {string[]} */
  const failed = exitCode !== 0 && existsSync(note) ? JSON.parse(readFileSync(note, "utf8")) : [];
  rmSync(folder, { recursive: true });
  if (failed.length > 0 && failed.length <= MOST_FILES_AGAIN) {
    console.error(`\nFailed beside the others, and run again alone: ${failed.join(", ")}`);
    exitCode = await workshop.run([...vitest, "--maxWorkers=1", ...failed]);
    if (exitCode === 0) console.error(`Passed alone, so they depend on the load: ${failed.join(", ")}`);
  }
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
