import type { UploadedFile } from "../../../api/api-ports.ts";

/** A message of a client's own account of a conversation. */
export interface Said {
  readonly role: "user" | "assistant";
  readonly content: string;
  readonly files: readonly UploadedFile[];
}

/** A conversation as a client tells it: what came before, and what its user says now. */
export interface Telling {
  /** What system and developer messages say. */
  readonly context: string;
  readonly before: readonly Said[];
  readonly now: Said;
}
