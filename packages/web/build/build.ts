import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { webClientStamp } from "./stamp.ts";

const DIST = join(import.meta.dirname, "../dist");
const PROGRAM = join(import.meta.dirname, "vite-program.ts");

/** The web client could not be built; the message has what the build said. */
export class WebClientBuildError extends Error {
  override readonly name = "WebClientBuildError";
}

/** How a build is watched. */
export interface BuildOptions {
  /** Called with the build under way, and only where one is needed. */
  readonly onBuild?: (done: Promise<void>) => void;
}

/** The folder with the web client as it is served, built first unless these very sources were built before. */
export async function builtWebClient({ onBuild }: BuildOptions = {}): Promise<string> {
  const folder = join(DIST, await webClientStamp());
  if (existsSync(folder)) return folder;
  const done = build(folder);
  onBuild?.(done);
  await done;
  return folder;
}

async function build(folder: string): Promise<void> {
  await mkdir(DIST, { recursive: true });
  const draft = await mkdtemp(join(DIST, "draft-"));
  try {
    // In a process of its own: what a bundler needs is not what a server wants to carry around.
    await promisify(execFile)(process.execPath, [PROGRAM, draft], {
      env: { ...process.env, NODE_ENV: "production" },
    });
    await rename(draft, folder).catch(unlessBuilt(folder));
  } catch (error) {
    const { stderr = "", message } = error as Error & { stderr?: string };
    throw new WebClientBuildError(`The web client could not be built: ${stderr.trim() || message}`);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  await removeOthers(folder);
}

/** Somebody else was quicker with the same. */
function unlessBuilt(folder: string): (error: unknown) => void {
  return (error) => {
    if (!existsSync(folder)) throw error;
  };
}

/** Servers that run have read theirs into memory. Drafts may be somebody's at work. */
async function removeOthers(folder: string): Promise<void> {
  const others = (await readdir(DIST)).map((name) => join(DIST, name));
  const old = others.filter((each) => each !== folder && !each.includes("draft-"));
  await Promise.all(old.map((each) => rm(each, { recursive: true, force: true })));
}
