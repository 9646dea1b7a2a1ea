import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** What a package of the registry holds: its manifest's own fields, and its files by path. */
export interface Contents {
  version?: string;
  bin?: Record<string, string>;
  files: Record<string, string>;
}

/** An npm registry on loopback, with the packages of one test. */
export class LocalRegistry {
  readonly #packages = new Map<string, { manifest: object; tarball: Buffer }>();
  /** The packages whose content was asked for, in order. */
  readonly downloads: string[] = [];
  /** How content is sent; a test may replace it by a worse way. */
  send = (response: ServerResponse, tarball: Buffer): void => {
    response.end(tarball);
  };
  url = "";

  static async open(): Promise<LocalRegistry> {
    const registry = new LocalRegistry();
    const server = createServer(({ url = "" }, response) =>
      registry.#answer(decodeURIComponent(url), response),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    registry.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return registry;
  }

  /** Publishes a package and returns the integrity for a lock. */
  publish(name: string, { version = "1.0.0", bin = {}, files }: Contents): string {
    const manifest = { name, version, bin };
    const tarball = pack({ "package.json": JSON.stringify(manifest), ...files });
    const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
    const dist = { tarball: `${this.url}content/${name}`, integrity };
    this.#packages.set(name, { manifest: { ...manifest, dist }, tarball });
    return integrity;
  }

  #answer(url: string, response: ServerResponse): void {
    const [, content, name = ""] = url.match(/^\/(content\/)?(.+)$/) ?? [];
    const found = this.#packages.get(name);
    if (!found) {
      response.writeHead(404).end("{}");
    } else if (content) {
      this.downloads.push(name);
      this.send(response, found.tarball);
    } else {
      const version = (found.manifest as { version: string }).version;
      const packument = { name, "dist-tags": { latest: version }, versions: { [version]: found.manifest } };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(packument));
    }
  }
}

function pack(files: Record<string, string>): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "parley-package-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      const path = join(folder, "package", name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      chmodSync(path, 0o755);
    }
    return execFileSync("tar", ["-czf", "-", "-C", folder, "package"], { maxBuffer: 64 * 1024 * 1024 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
