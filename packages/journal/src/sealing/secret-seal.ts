import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { KEY_BYTES, KeyLengthError } from "./key-file.ts";

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The text was sealed under another key or name, or was changed: the secret must be entered again. */
export class SecretLostError extends Error {
  override readonly name = "SecretLostError";
  constructor(name: string) {
    super(`The secret of ${name} cannot be opened with this key: give it anew`);
  }
}

/** Keeps secrets unreadable at rest, each bound to its name: AES-256-GCM under a key that is not in the database. */
export class SecretSeal {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    if (key.byteLength !== KEY_BYTES) throw new KeyLengthError("The key for secrets");
    this.#key = key;
  }

  seal(name: string, secret: unknown): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce).setAAD(Buffer.from(name));
    const sealed = Buffer.concat([cipher.update(JSON.stringify(secret), "utf8"), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64");
  }

  /** Throws `SecretLostError`. */
  open(name: string, sealed: string): unknown {
    try {
      const bytes = Buffer.from(sealed, "base64");
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(name)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const opened = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
      return JSON.parse(Buffer.concat(opened).toString());
    } catch {
      // No details: the texts may be secrets.
      throw new SecretLostError(name);
    }
  }
}
