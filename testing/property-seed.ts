import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import fc from "fast-check";

/**
 * Gives the property tests of a commit the same values in each CI run, so that its verdict can be repeated; another commit
 * draws others. Outside CI, or without Git's folder, every run draws new ones.
 */
if (process.env.CI !== undefined && existsSync(".git"))
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: commitSeed() });

function commitSeed(): number {
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" });
  return Number.parseInt(commit.slice(0, 8), 16) | 0;
}
