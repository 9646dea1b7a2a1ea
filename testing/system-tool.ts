import { execFileSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The path of a program that a test needs; installs the Debian package of that name where that is permitted. */
export function systemTool(name: string): string {
  const found = findOnPath(name) ?? install(name);
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
  for (const command of ["update", "install"]) {
    // Test files that ask at once wait for each other.
    const options = ["-qq", "-o", "DPkg::Lock::Timeout=300"];
    execFileSync("apt-get", [command, ...options, ...(command === "install" ? ["-y", name] : [])], {
      stdio: "ignore",
    });
  }
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
