import { SecretSeal } from "@parley/journal";
import { z } from "zod";
import type { PushConfig } from "../protocol/model.ts";

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

/** Keeps push configs unreadable at rest. */
export class ConfigSeal {
  readonly #seal: SecretSeal;

  constructor(key: Uint8Array) {
    this.#seal = new SecretSeal(key);
  }

  seal(name: ConfigName, { url, token, authentication }: SealedContent): string {
    return this.#seal.seal(textOf(name), { url, token, authentication });
  }

  open(name: ConfigName, sealed: string): SealedContent {
    try {
      return content.parse(this.#seal.open(textOf(name), sealed));
    } catch {
      throw new SealBrokenError(name);
    }
  }
}

function textOf({ taskId, id }: ConfigName): string {
  return JSON.stringify([taskId, id]);
}
