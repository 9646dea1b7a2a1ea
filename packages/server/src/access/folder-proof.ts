import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import { z } from "zod";
import { type Authenticator, type IdentifiedRequest, type Identity, LOCAL } from "./identity.ts";
import { NotAuthenticatedError } from "./not-authenticated-error.ts";

/** The header with the proof: in no list of processes, and no page of another site can send it. */
export const PROOF_HEADER = "X-Folder-Proof";
const FILE = "server.json";
const KEYS = /^\/api\/v1\/keys(\/|\?|$)/;
const BYTES = 32;

const shownSchema = z.object({ url: z.url(), proof: z.string().min(1) });

/** Where the server of a data folder is, and what shows it that one owns the folder. */
export type ShownProof = z.infer<typeof shownSchema>;

/**
 * Identifies who owns the data folder, by what only they can read there: so there can be a first API key while the server
 * runs. It is good for API keys alone, and until the server ends.
 */
export class FolderProof implements Authenticator {
  readonly #file: string;
  readonly #hash: Buffer;

  private constructor(file: string, proof: string) {
    this.#file = file;
    this.#hash = hashOf(proof);
  }

  /** Writes it into the folder, for its owner's eyes alone. */
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

  /** What lies in a folder; undefined: nothing that could be used. */
  static async read(dataFolder: string): Promise<ShownProof | undefined> {
    try {
      return shownSchema.parse(JSON.parse(await readFile(join(dataFolder, FILE), "utf8")));
    } catch {
      // There is none, it is another's, or a server was about to write it: then there is another way, or a reason is given there.
      return undefined;
    }
  }

  async identify({ headers, url = "" }: IdentifiedRequest): Promise<Identity | undefined> {
    const shown = headers[PROOF_HEADER.toLowerCase()];
    if (shown === undefined || !KEYS.test(url)) return undefined;
    if (!timingSafeEqual(hashOf(String(shown)), this.#hash))
      throw new NotAuthenticatedError("This is not the proof that lies in the data folder");
    return { ...LOCAL, name: "command line", isBound: true, ownsData: true };
  }

  async remove(): Promise<void> {
    await rm(this.#file, { force: true });
  }
}

/** Where a server is reached on its own machine that is bound there. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return isIPv6(host) ? `[${host}]` : host;
}

function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
