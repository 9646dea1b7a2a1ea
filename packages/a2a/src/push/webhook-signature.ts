import { createHash, createHmac } from "node:crypto";
import type { NotificationName } from "./push-observer.ts";

const PREFIX = "whsec_";
const SECRET_BYTES = { least: 24, most: 64 };

/** The secret is not one that Standard Webhooks has. */
export class SigningSecretError extends Error {
  override readonly name = "SigningSecretError";
  constructor() {
    const { least, most } = SECRET_BYTES;
    super(`A signing secret is ${PREFIX} and then ${least} to ${most} bytes in base64`);
  }
}

/** Signs webhooks as Standard Webhooks has it, with every secret at once, so that receivers can change over. */
export class WebhookSigner {
  readonly #keys: readonly Buffer[];

  /** `whsec_…`, the newest first; without any, nothing is signed. */
  constructor(secrets: readonly string[]) {
    this.#keys = secrets.map(keyOf);
  }

  /** The headers that say which webhook it is, when it was sent and that it is ours. */
  headers(id: string, body: string, now = Date.now()): Record<string, string> {
    const timestamp = String(Math.floor(now / 1_000));
    const signatures = this.#keys.map((key) => {
      const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
      return `v1,${signature}`;
    });
    return {
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      ...(signatures.length > 0 && { "webhook-signature": signatures.join(" ") }),
    };
  }
}

/** The same for every try of a notification, so that a receiver can tell a repeat. */
export function webhookId({ taskId, configId, index }: NotificationName): string {
  const hash = createHash("sha256").update(JSON.stringify([taskId, configId, index]));
  return `msg_${hash.digest("base64url").slice(0, 32)}`;
}

/** A signing secret, in the form in which receivers get it, from a key. */
export function signingSecret(key: Uint8Array): string {
  return PREFIX + Buffer.from(key).toString("base64");
}

function keyOf(secret: string): Buffer {
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  const { least, most } = SECRET_BYTES;
  if (secret.startsWith(PREFIX) && key.byteLength >= least && key.byteLength <= most) return key;
  throw new SigningSecretError();
}
