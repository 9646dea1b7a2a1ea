import { writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { explainCause } from "./failure-cause.mjs";
import { canWrite, makeFolder } from "./folder.mjs";
import { environmentFor } from "./node-runtime.mjs";
import { findNpm } from "./npm-program.mjs";
import { PlainError } from "./plain-error.mjs";
import { runQuietly } from "./run-child.mjs";

const guard = new URL(`./end-with-launcher.mjs?launcher=${process.pid}`, import.meta.url).href;
const options = [
  // Npm itself waits 70 seconds without a network.
  ...["--fetch-retries=2", "--fetch-retry-mintimeout=500", "--fetch-retry-factor=2", "--fetch-timeout=15000"],
  ...["--no-audit", "--no-fund", "--no-progress", "--no-update-notifier"],
];

/**
 * @typedef {object} NpmRun
 * @property {string} purpose what npm is to do, for the error message
 * @property {import("./node-runtime.mjs").NodeRuntime} node npm chooses packages by the Node that runs it
 * @property {string} project
 * @property {string} log the file that keeps npm's output when it failed
 */

/**
 * Runs npm without showing its output; a failure is one sentence, with npm's last lines if its cause is unknown.
 * @param {string[]} args
 * @param {NpmRun} run
 */
export async function runNpm(args, { purpose, node, project, log }) {
  const env = { ...environmentFor(node), ...ownCacheIfNeeded(project) };
  const command = ["--import", guard, findNpm(), ...args, ...options];
  const { exitCode, output } = await runQuietly(node.path, command, { cwd: project, env });
  const code = failureCode(output, exitCode);
  if (!code) return;
  const path = output.match(/^npm (?:error|ERR!) path (.+)$/m)?.[1] ?? project;
  const reason = explainCause(code, path);
  const details = reason ? "" : output.trimEnd().split("\n").slice(-15).join("\n");
  throw new PlainError(
    `npm could not ${purpose}: ${reason ?? `it ended with ${code}`}${keepLog(log, output)}.`,
    { details },
  );
}

/**
 * @param {string} output
 * @param {number} exitCode
 */
function failureCode(output, exitCode) {
  // Npm only warns about a file that it could not unpack, and a full disk may show only in its consequences.
  if (/\bENOSPC\b/.test(output)) return "ENOSPC";
  const unpacking = output.match(/TAR_ENTRY_ERROR (\w+)/)?.[1];
  if (unpacking) return unpacking;
  if (exitCode === 0) return undefined;
  return output.match(/^npm (?:error|ERR!) code (\w+)$/m)?.[1] ?? `exit code ${exitCode}`;
}

/**
 * @param {string} log
 * @param {string} output
 */
function keepLog(log, output) {
  try {
    makeFolder(dirname(log));
    writeFileSync(log, output);
    return ` (details: ${log})`;
  } catch {
    // A disk without room for the log is the reported failure itself, or less important.
    return "";
  }
}

/**
 * A container's user often has no home folder.
 * @param {string} project
 */
function ownCacheIfNeeded(project) {
  const usual = process.env.npm_config_cache || join(process.env.HOME || homedir(), ".npm");
  return canWrite(join(usual, "_cacache")) ? {} : { npm_config_cache: join(project, ".node", "npm-cache") };
}
