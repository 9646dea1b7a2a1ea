import { execFile } from "node:child_process";
import { cp, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { systemTool } from "../system-tool.ts";

const run = promisify(execFile);
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";
const PULL_MS = 60_000;

/** Gets an image like `node:24.21.0-bookworm-slim` from Docker Hub, or makes one of Debian and of this Node where that cannot be reached. */
export async function provideBaseImage(name: string): Promise<void> {
  const buildah = systemTool("buildah");
  const full = `docker.io/library/${name}`;
  const there = await run(buildah, ["inspect", "--type=image", full]).catch(() => undefined);
  if (there) return;
  const pulled = await run(buildah, ["pull", full], { timeout: PULL_MS }).catch(() => undefined);
  if (!pulled) await makeBaseImage(full);
}

async function makeBaseImage(name: string): Promise<void> {
  const buildah = systemTool("buildah");
  const [, suite = ""] = /-([a-z]+)(?:-slim)?$/.exec(name) ?? [];
  const folder = await mkdtemp(join(tmpdir(), "parley-base-image-"));
  try {
    const packages = "--include=ca-certificates";
    await run(
      systemTool("debootstrap"),
      ["--variant=minbase", packages, suite, folder, "http://deb.debian.org/debian"],
      { maxBuffer: 1e8 },
    );
    await cp(process.execPath, join(folder, "usr/local/bin/node"));
    const npm = dirname(dirname(await realpath(systemTool("npm"))));
    await cp(npm, join(folder, "usr/local/lib/node_modules/npm"), { recursive: true });
    await symlink("../lib/node_modules/npm/bin/npm-cli.js", join(folder, "usr/local/bin/npm"));
    // What this machine trusts: a proxy of its own, for one.
    await cp(CERTIFICATES, join(folder, CERTIFICATES));
    await run("chroot", [folder, "useradd", "--create-home", "--shell=/bin/bash", "--uid=1000", "node"]);
    await writeFile(join(folder, "etc/resolv.conf"), "");
    const { stdout } = await run(buildah, ["from", "scratch"]);
    const container = stdout.trim();
    await run(buildah, ["add", container, folder, "/"]);
    await run(buildah, [
      "config",
      "--env=PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      `--env=NODE_EXTRA_CA_CERTS=${CERTIFICATES}`,
      container,
    ]);
    await run(buildah, ["commit", "--rm", container, name]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
