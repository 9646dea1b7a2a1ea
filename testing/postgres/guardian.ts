import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { runningAs, type UnprivilegedUser } from "./unprivileged-user.ts";

/** What the guardian starts, and what it removes when it ends. */
export interface GuardedServer {
  readonly binaries: string;
  /** Holds `data` and `log`. */
  readonly folder: string;
  /** Lines for postgresql.conf. */
  readonly configuration: string;
  readonly user: UnprivilegedUser | undefined;
  /** The folders to remove at the end, `folder` among them. */
  readonly temporary: readonly string[];
}

/** A shell that stands over one server. */
export interface Guardian {
  /** Whether the server came up; if not, the log in its folder says why. */
  readonly ready: boolean;
  /** Stops the server and removes its folders. */
  end(): Promise<void>;
}

// The kernel closes our end of the guardian's standard input however we die, and that is its signal to clean up.
// It must survive a closed standard output too: if we die during the start, nobody reads the word.
const script = `
trap '' PIPE
binaries=$1 configuration=$2 folder=$3
shift 3
{
  "$binaries/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale=C --no-sync >/dev/null &&
  printf '%s' "$configuration" >>"$folder/data/postgresql.conf" &&
  "$binaries/pg_ctl" start -w -t 60 -D "$folder/data" -l "$folder/log"
} </dev/null >>"$folder/log" 2>&1 && echo ready || echo failed
cat >/dev/null
stop() { "$binaries/pg_ctl" stop -w -t 20 -D "$folder/data" -m "$1"; }
{ stop fast || stop immediate; } </dev/null >/dev/null 2>&1
rm -rf "$@"
`;

/** Starts a server that ends with this process, even by kill -9, and returns when it is ready or has failed. */
export async function startGuardian(server: GuardedServer): Promise<Guardian> {
  const { binaries, configuration, folder, user, temporary } = server;
  const shell = spawn("sh", ["-c", script, "sh", binaries, configuration, folder, ...temporary], {
    cwd: "/",
    env: { PATH: process.env.PATH, LC_ALL: "C" },
    // Its own session, so that Ctrl-C in our terminal does not reach the server before we have ended our work.
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
    ...runningAs(user),
  });
  await once(shell, "spawn");
  const exited = once(shell, "exit");
  const ready = (await firstLine(shell.stdout)) === "ready";
  shell.stdout.destroy();
  // A program that forgets to stop its server can still end, and the server ends with it.
  shell.unref();
  return {
    ready,
    async end() {
      shell.ref();
      shell.stdin.end();
      await exited;
    },
  };
}

async function firstLine(output: Readable): Promise<string | undefined> {
  const lines = createInterface({ input: output });
  const line = await lines[Symbol.asyncIterator]().next();
  lines.close();
  return line.value;
}
