import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { z } from "zod";
import type { PushConfig } from "../protocol/model.ts";
import { KEY_BYTES, KeyLengthError } from "./key-file.ts";

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const content = z.object({
  url: z.string(),
  token: z.exactOptional(z.string()),
  authentication: z.exactOptional(z.object({ scheme: z.string(), credentials: z.exactOptional(z.string()) })),
});

/** What of a push config is kept sealed: all of it but its names, since a URL can be a secret too. */
export type SealedContent = Pick<PushConfig, "url" | "token" | "authentication">;

/** The config a sealed text belongs to; it opens for no other. */
export interface ConfigName {
  readonly taskId: string;
  readonly id: string;
}

/** The sealed text is not of this key, or was changed: the config has to be registered anew. */
export class SealBrokenError extends Error {
  override readonly name = "SealBrokenError";
  constructor({ taskId, id }: ConfigName) {
    super(`Push config ${id} of task ${taskId} cannot be opened with this key; register it anew`);
  }
}

/** Keeps push configs unreadable at rest: AES-256-GCM under a key that is not in the database. */
export class ConfigSeal {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    if (key.byteLength !== KEY_BYTES) throw new KeyLengthError("The key for push configs");
    this.#key = key;
  }

  seal(name: ConfigName, { url, token, authentication }: SealedContent): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce).setAAD(aadOf(name));
    const text = JSON.stringify({ url, token, authentication });
    const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64");
  }

  /** Throws `SealBrokenError`. */
  open(name: ConfigName, sealed: string): SealedContent {
    try {
      const bytes = Buffer.from(sealed, "base64");
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(aadOf(name)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const opened = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
      return content.parse(JSON.parse(Buffer.concat(opened).toString()));
    } catch {
      // What exactly did not fit is nobody's business: the texts at hand may be secrets.
      throw new SealBrokenError(name);
    }
  }
}

function aadOf({ taskId, id }: ConfigName): Buffer {
  return Buffer.from(JSON.stringify([taskId, id]));
}
