import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import { z } from "zod";
import { type Authenticator, LOCAL_USER } from "../identity.ts";
import { NotAuthenticatedError } from "../identity-errors.ts";

/** Carries the proof: a header shows up in no process list, and no page of another site can send it. */
export const PROOF_HEADER = "X-Folder-Proof";
const FILE = "server.json";
const KEYS = /^\/api\/v1\/keys(\/|\?|$)/;
const BYTES = 32;

const shownSchema = z.object({ url: z.url(), proof: z.string().min(1) });

/** The URL of a data folder's server, and the proof that one owns the folder. */
export type ShownProof = z.infer<typeof shownSchema>;

/**
 * Authenticates the owner of the data folder by a file that only they can read, so that a first API key can be created
 * while the server runs. It is valid for `/api/v1/keys` only, until the server stops.
 */
export class FolderProof {
  readonly #file: string;
  readonly #hash: Buffer;

  private constructor(file: string, proof: string) {
    this.#file = file;
    this.#hash = hashOf(proof);
  }

  /** Writes the proof into the folder, readable by its owner only. */
  static async write(
    dataFolder: string,
    { host, port }: { readonly host: string; readonly port: number },
  ): Promise<FolderProof> {
    const file = join(dataFolder, FILE);
    const proof = randomBytes(BYTES).toString("base64url");
    const shown: ShownProof = { url: `http://${reachable(host)}:${port}`, proof };
    const draft = `${file}.new`;
    await rm(draft, { force: true });
    await writeFile(draft, `${JSON.stringify(shown)}\n`, { mode: 0o600, flag: "wx" });
    await rename(draft, file);
    return new FolderProof(file, proof);
  }

  /** The proof in a folder; undefined where there is none to use. */
  static async read(dataFolder: string): Promise<ShownProof | undefined> {
    try {
      return shownSchema.parse(JSON.parse(await readFile(join(dataFolder, FILE), "utf8")));
    } catch {
      // Missing, unreadable, or being written: the caller opens the data itself, and gets the reason there.
      return undefined;
    }
  }

  readonly identify: Authenticator = async ({ headers, url = "" }) => {
    const shown = headers[PROOF_HEADER.toLowerCase()];
    if (shown === undefined || !KEYS.test(url)) return undefined;
    if (!timingSafeEqual(hashOf(String(shown)), this.#hash))
      throw new NotAuthenticatedError("The folder proof does not match the one in the data folder");
    return { ...LOCAL_USER, name: "command line", isBound: true, ownsData: true };
  };

  async remove(): Promise<void> {
    await rm(this.#file, { force: true });
  }
}

/** How a server bound to this host is reached on its own machine. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return isIPv6(host) ? `[${host}]` : host;
}

function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
