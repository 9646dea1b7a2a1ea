import { UnknownModelError } from "./model-errors.ts";

/** A model's name in its parts; `url` where the name brings its own endpoint. */
export interface ModelName {
  readonly provider: string;
  readonly model: string;
  readonly url?: string;
}

/** Reads `provider:model` or `provider:model@https://host/v1`; models' own names may hold colons and at signs. */
export function parseModelName(text: string): ModelName {
  const parts = /^([a-z][a-z0-9-]*)(?::(.+?))?(?:@(https?:\/\/\S+))?$/i.exec(text.trim());
  const provider = parts?.[1];
  if (provider === undefined) {
    throw new UnknownModelError(
      `"${text}" names no model: write provider:model, for example anthropic:claude-sonnet-5-5, or offline`,
    );
  }
  const url = parts?.[3];
  return { provider: provider.toLowerCase(), model: parts?.[2] ?? "", ...(url !== undefined && { url }) };
}
