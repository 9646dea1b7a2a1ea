import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "../../..");
const SOURCES = ["packages/web/src", "packages/web/build", "packages/client/src", "docs"];
const FILES = ["packages/web/index.html", "packages/web/package.json", "package-lock.json"];

const DIST = join(import.meta.dirname, "../dist");
const PROGRAM = join(import.meta.dirname, "vite-program.ts");

class WebClientBuildError extends Error {
  override readonly name = "WebClientBuildError";
}

export interface BuildOptions {
  /** Called with the build under way, and only where one is needed. */
  readonly onBuild?: (done: Promise<void>) => void;
  /** Ends a build that is under way. */
  readonly signal?: AbortSignal;
  /** Where what is built lies. */
  readonly dist?: string;
}

/** The folder with the web client as it is served, built first unless these very sources were built before. */
export async function builtWebClient({ onBuild, signal, dist = DIST }: BuildOptions = {}): Promise<string> {
  const folder = join(dist, await webClientStamp());
  if (existsSync(folder)) return folder;
  const done = build(folder, signal);
  onBuild?.(done);
  await done;
  return folder;
}

async function build(folder: string, signal?: AbortSignal): Promise<void> {
  const dist = dirname(folder);
  await mkdir(dist, { recursive: true });
  const draft = await mkdtemp(join(dist, "draft-"));
  try {
    // In a process of its own: what a bundler needs is not what a server wants to carry around.
    await promisify(execFile)(process.execPath, [PROGRAM, draft], {
      env: { ...process.env, NODE_ENV: "production" },
      ...(signal && { signal, killSignal: "SIGKILL" }),
    });
    await rename(draft, folder).catch(unlessBuilt(folder));
  } catch (error) {
    const { stderr = "", message } = error as Error & { stderr?: string };
    throw new WebClientBuildError(`The web client could not be built: ${stderr.trim() || message}`);
  } finally {
    // A build that was ended may have had a file half written.
    await rm(draft, { recursive: true, force: true, maxRetries: 5 });
  }
  await removeOthers(folder);
}

/** Another process may have built the same sources first. */
function unlessBuilt(folder: string): (error: unknown) => void {
  return (error) => {
    if (!existsSync(folder)) throw error;
  };
}

/** Running servers have their files in memory; a draft may belong to a build in progress. */
async function removeOthers(folder: string): Promise<void> {
  const dist = dirname(folder);
  const others = (await readdir(dist)).map((name) => join(dist, name));
  const old = others.filter((each) => each !== folder && !each.includes("draft-"));
  await Promise.all(old.map((each) => rm(each, { recursive: true, force: true })));
}

/** A hash of all sources and packages: a build under the same name can be reused. */
async function webClientStamp(): Promise<string> {
  const found = await Promise.all(SOURCES.map((folder) => filesBelow(join(ROOT, folder))));
  const files = [...found.flat().filter(isBuilt), ...FILES.map((file) => join(ROOT, file))].sort();
  const hash = createHash("sha256");
  for (const file of files) {
    hash.update(relative(ROOT, file).split(sep).join("/")).update("\0");
    hash.update(await readFile(file)).update("\0");
  }
  return hash.digest("hex").slice(0, 20);
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

function isBuilt(file: string): boolean {
  return !/\.test\.tsx?$/.test(file) && !file.includes(`${sep}testing${sep}`);
}
