import { spawn } from "node:child_process";
import { constants } from "node:os";
import { Interrupted } from "./plain-error.mjs";

/** @typedef {{ cwd: string, env: NodeJS.ProcessEnv }} Place */

/** @type {NodeJS.Signals[]} */
const passedOn = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Runs a program on our own terminal, passes our signals on to it, and returns its exit code (128 + n when signal n ended it).
 * @param {string} file
 * @param {string[]} args
 * @param {Place} place
 */
export async function runInForeground(file, args, place) {
  const { exitCode } = await run(file, args, { ...place, stdio: "inherit" });
  return exitCode;
}

/**
 * Runs a program unseen and returns its exit code and all that it printed; a signal ends it and throws `Interrupted`.
 * @param {string} file
 * @param {string[]} args
 * @param {Place} place
 */
export async function runQuietly(file, args, place) {
  const { exitCode, output, signal } = await run(file, args, { ...place, stdio: ["ignore", "pipe", "pipe"] });
  if (signal) throw new Interrupted(exitCodeOf(signal));
  return { exitCode, output };
}

/**
 * @param {string} file
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 * @returns {Promise<{ exitCode: number, output: string, signal: NodeJS.Signals | undefined }>}
 */
function run(file, args, options) {
  return new Promise((resolve, reject) => {
    /** @type {NodeJS.Signals | undefined} */
    let received;
    let output = "";
    const child = spawn(file, args, options);
    // On Ctrl-C the terminal signals the child as well as us, so it gets the signal twice.
    const passOn = (/** @type {NodeJS.Signals} */ signal) => {
      received = signal;
      child.kill(signal);
    };
    const stopListening = () => {
      for (const signal of passedOn) process.off(signal, passOn);
    };
    for (const signal of passedOn) process.on(signal, passOn);
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text) => {
        output += text;
      });
    }
    child.on("error", (error) => {
      stopListening();
      reject(error);
    });
    child.on("close", (code, signal) => {
      stopListening();
      resolve({
        exitCode: code ?? exitCodeOf(/** @type {NodeJS.Signals} */ (signal)),
        output,
        signal: received,
      });
    });
  });
}

/** @param {NodeJS.Signals} signal */
function exitCodeOf(signal) {
  return 128 + constants.signals[signal];
}
