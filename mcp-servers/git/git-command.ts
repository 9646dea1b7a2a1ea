import { execFile } from "node:child_process";
import { ToolFailure } from "../tool-answer.ts";

const MAX_OUTPUT_BYTES = 8 * 1_024 * 1_024;
const TIMEOUT_MS = 30_000;

/**
 * A repository's own settings may name programs, and none may run because of a question. (Filters do
 * run: without them files of Git LFS would look changed.)
 */
const harmless = [
  "safe.directory=*",
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.pager=cat",
  "diff.external=",
  "log.showSignature=false",
  "color.ui=never",
  "core.quotePath=false",
].flatMap((setting) => ["-c", setting]);

/** Runs `git` in a folder without a shell; its errors are `ToolFailure`s. */
export function runGit(folder: string, args: readonly string[], signal?: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        LANG: "C.UTF-8",
        GIT_TERMINAL_PROMPT: "0",
        GIT_OPTIONAL_LOCKS: "0",
        GIT_NO_LAZY_FETCH: "1",
        GIT_CONFIG_NOSYSTEM: "1",
      },
      maxBuffer: MAX_OUTPUT_BYTES,
      timeout: TIMEOUT_MS,
      ...(signal ? { signal } : {}),
    };
    execFile("git", ["--no-pager", ...harmless, ...args], options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new ToolFailure(complaint(error, stderr)));
    });
  });
}

function complaint(error: Error & { code?: unknown; killed?: boolean }, stderr: string): string {
  if (error.code === "ENOENT") return "The git program was not found, or the repository's folder is gone.";
  if (error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") {
    return `There is more than ${MAX_OUTPUT_BYTES / 1_048_576} MB of it: ask for less, by a path or a smaller range.`;
  }
  if (error.killed === true) return `git did not finish within ${TIMEOUT_MS / 1_000} s: ask for less.`;
  const said = stderr.trim().replace(/^(fatal|error): /, "");
  return `git says: ${said || `nothing, but ended with ${String(error.code)}`}`;
}
