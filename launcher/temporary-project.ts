import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { smallDisk } from "@parley/testing/small-disk.ts";
import { onTestFinished } from "vitest";
import { findNpm } from "./npm-program.mjs";

const root = join(import.meta.dirname, "..");

/** How a launcher ended and all that it printed. */
export interface Ending {
  exitCode: number | null;
  stdout: string;
  stderr: string;
  seconds: number;
}

/** A launcher at work in a child process. */
export interface Launch {
  process: ChildProcess;
  ended: Promise<Ending>;
  /** Resolves once the text has appeared. */
  printed(text: string): Promise<void>;
}

type Disk = "small" | "read-only";

/** How a launcher is started, where that differs from the project's way. */
export interface LaunchOptions {
  environment?: NodeJS.ProcessEnv;
  /** Puts the project on its own disk: too small for an install, or read-only. */
  disk?: Disk;
  /** Makes it the leader of a process group, as a terminal does. */
  ownGroup?: boolean;
  /** Starts it by the script of that name in our package.json; then `process` is npm. */
  throughNpm?: boolean;
}

/** A project with the launcher and next to nothing else, in a folder that goes away with the test. */
export class TemporaryProject {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;

  /** The folder's own name is this, where it matters. */
  constructor(name = "project") {
    const parent = mkdtempSync(join(tmpdir(), "parley-launcher-"));
    onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
    this.folder = join(parent, name);
    this.environment = {
      ...process.env,
      // Nothing listens there, and nothing is cached: a step that needs the network fails.
      npm_config_registry: "http://127.0.0.1:9/",
      npm_config_cache: join(parent, "npm-cache"),
      PARLEY_NODE_DIR: undefined,
    };
    for (const name of ["launch.mjs", "launcher", "packages/server/node-options.json"]) {
      cpSync(join(root, name), join(this.folder, name), { recursive: true });
    }
    this.lock({});
    this.write("packages/server/src/main.ts", "console.log(JSON.stringify(process.argv.slice(2)))");
  }

  /** Writes package.json and a package-lock.json that agree on the dependencies: name to integrity, all of version 1.0.0. */
  lock(integrities: Record<string, string>, development: readonly string[] = []): void {
    const names = Object.keys(integrities);
    const versions = (chosen: readonly string[]) => Object.fromEntries(chosen.map((name) => [name, "1.0.0"]));
    const manifest = {
      name: "temporary",
      version: "1.0.0",
      type: "module",
      scripts: JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts,
      dependencies: versions(names.filter((name) => !development.includes(name))),
      devDependencies: versions(development),
    };
    const installed = names.map((name) => [
      `node_modules/${name}`,
      { version: "1.0.0", integrity: integrities[name], ...(development.includes(name) && { dev: true }) },
    ]);
    const packages = { "": manifest, ...Object.fromEntries(installed) };
    const lock = { name: "temporary", version: "1.0.0", lockfileVersion: 3, requires: true, packages };
    this.write("package.json", JSON.stringify(manifest));
    this.write("package-lock.json", JSON.stringify(lock));
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
  }

  remove(name: string): void {
    rmSync(this.path(name));
  }

  read(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  list(name: string): string[] {
    return readdirSync(this.path(name)).sort();
  }

  /** Runs a command of the launcher to its end. */
  run(command: string, options: LaunchOptions = {}): Promise<Ending> {
    return this.launch(command, options).ended;
  }

  /** Starts a command of the launcher. */
  launch(command: string, options: LaunchOptions = {}): Launch {
    const { environment = {}, disk, ownGroup = false, throughNpm = false } = options;
    const program = throughNpm ? [findNpm(), "run", "--silent"] : ["launch.mjs"];
    const launcher = [process.execPath, ...program, ...command.split(" ").filter(Boolean)];
    const [file = "", ...args] = disk ? [...onDisk(disk, this.path("disk")), ...launcher] : launcher;
    const env = { ...this.environment, ...environment };
    const stdio: StdioOptions = ["ignore", "pipe", "pipe"];
    const child = spawn(file, args, { cwd: this.folder, env, stdio, detached: ownGroup });
    onTestFinished(() => void child.kill("SIGKILL"));
    return observe(child);
  }
}

function observe(child: ChildProcess): Launch {
  const started = performance.now();
  const text = { stdout: "", stderr: "" };
  const waiting = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (chunk: string) => {
      text[name] += chunk;
      for (const look of waiting) look();
    });
  }
  const ended = new Promise<Ending>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode) => {
      resolve({ exitCode, ...text, seconds: (performance.now() - started) / 1000 });
    });
  });
  const printed = (expected: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => (text.stdout + text.stderr).includes(expected) && resolve();
      waiting.add(look);
      look();
      ended.then(() => reject(new Error(`ended without "${expected}": ${text.stderr}`)), reject);
    });
  return { process: child, ended, printed };
}

/** The command line that runs the rest on a separate disk with the project. */
function onDisk(disk: Disk, folder: string): string[] {
  mkdirSync(folder);
  const contents = ["launch.mjs", "launcher", "package.json", "package-lock.json", "packages"];
  const around = smallDisk(folder, "2m", { contents, readOnly: disk === "read-only" });
  return [...around, "sh", "-c", 'cd "$0" && exec "$@"', folder];
}
