import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Lists the files of a Git work tree that are tracked or could be: neither ignored nor deleted, relative to its root. */
export function repositoryFiles(root: string): string[] {
  // A container's checkout often belongs to another user, and reading a list of names is safe in it.
  const trust = ["-c", "safe.directory=*"];
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  return execFileSync("git", [...trust, ...list], { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 })
    .split("\0")
    .filter(
      (file) => file !== "" && !file.split("/").includes("node_modules") && existsSync(join(root, file)),
    );
}
