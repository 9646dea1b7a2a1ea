import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

/**
 * The path of a program that a test needs: of the first name that is installed or that the Debian package of that name
 * provides, where installing is permitted.
 */
export function systemTool(name: string, ...substitutes: readonly string[]): string {
  const found = findOnPath(name) ?? install(name) ?? substitutes.map(findOnPath).find(Boolean);
  if (found) return found;
  throw new Error(
    `This test needs ${name}: install it with your system's package manager (apt-get install ${name})`,
  );
}

function findOnPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function install(name: string): string | undefined {
  if (process.getuid?.() !== 0 || !findOnPath("apt-get")) return undefined;
  const script = `command -v ${name} || { apt-get -qq update && apt-get -qq -y install ${name}; }`;
  // Test files that ask at once wait for each other.
  const lock = join(tmpdir(), "parley-apt-get.lock");
  spawnSync("flock", [lock, "sh", "-c", script], { stdio: "ignore" });
  return findOnPath(name);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
