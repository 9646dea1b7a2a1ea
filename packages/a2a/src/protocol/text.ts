import type { Part } from "./model.ts";

/** The text in the parts of a message or artifact, joined. */
export function textOf({ parts }: { readonly parts: readonly Part[] }): string {
  return parts.map(({ text }) => text ?? "").join("");
}
