import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { promisify } from "node:util";

const ROOT = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

/** A clone as after the installation, in its own folder, with an empty home beside it. */
export interface CleanClone {
  readonly folder: string;
  /** A new user's minimal environment. */
  readonly environment: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/** Makes one of all that Git knows or would take here, so that it is what a commit of it would be. */
export async function cleanClone(): Promise<CleanClone> {
  const parent = await mkdtemp(join(tmpdir(), "parley-clone-"));
  const folder = join(parent, "parley");
  const home = join(parent, "home");
  await Promise.all([mkdir(folder), mkdir(home)]);
  await copySources(folder);
  await linkPackages(folder);
  const environment = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: home };
  await commit(folder, environment);
  return { folder, environment, remove: () => rm(parent, { recursive: true, force: true }) };
}

async function copySources(folder: string): Promise<void> {
  const known = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const { stdout } = await run("git", known, { cwd: ROOT, maxBuffer: 1e8 });
  for (const path of stdout.split("\0").filter((path) => path !== "" && existsSync(join(ROOT, path))))
    await cp(join(ROOT, path), join(folder, path));
}

/** As an installation leaves it, but that packages of others are those of this clone: fetching them would take minutes. */
async function linkPackages(folder: string): Promise<void> {
  const installed = join(folder, "node_modules");
  await mkdir(join(installed, "@parley"), { recursive: true });
  for (const name of await readdir(join(ROOT, "node_modules")))
    if (name !== "@parley" && !name.startsWith("."))
      await symlink(join(ROOT, "node_modules", name), join(installed, name));
  const { packages } = JSON.parse(await readFile(join(folder, "package-lock.json"), "utf8")) as {
    packages: Record<string, { link?: boolean; resolved?: string }>;
  };
  for (const [path, { link, resolved = "" }] of Object.entries(packages))
    if (link)
      await symlink(relative(dirname(join(folder, path)), join(folder, resolved)), join(folder, path));
  for (const nested of globSync("{*,*/*}/node_modules", { cwd: ROOT, exclude: ["node_modules"] }))
    await symlink(join(ROOT, nested), join(folder, nested));
  await writeFile(join(installed, ".parley-installed"), await stampOf(folder));
}

/** What the launcher notes after an installation: of which lock, for which Node and system it was. */
async function stampOf(folder: string): Promise<string> {
  const lock = await readFile(join(folder, "package-lock.json"));
  const [major] = process.versions.node.split(".");
  const hash = createHash("sha256").update(lock).digest("hex");
  return `${hash} node-${major} ${process.platform}-${process.arch}\n`;
}

async function commit(folder: string, environment: Readonly<Record<string, string>>): Promise<void> {
  const author = ["-c", "user.name=A stranger", "-c", "user.email=stranger@example.com"];
  for (const args of [
    ["init", "--quiet"],
    ["add", "--all"],
    [...author, "commit", "--quiet", "-m", "All"],
  ])
    await run("git", args, { cwd: folder, env: { ...environment }, maxBuffer: 1e8 });
}
