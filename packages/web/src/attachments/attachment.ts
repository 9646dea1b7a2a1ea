import type { ApiFile } from "@parley/client";

/** A file on its way to the server, or there. */
export interface Attachment {
  readonly key: number;
  readonly file: File;
  readonly state:
    | { readonly name: "uploading"; readonly share: number }
    | { readonly name: "done"; readonly sent: ApiFile }
    | { readonly name: "failed"; readonly why: UploadTrouble };
}

/** Why a file did not get there. */
export type UploadTrouble =
  | { readonly name: "tooLarge" | "refusedTooLarge" | "unreachable" | "empty" }
  | { readonly name: "refused"; readonly reason: string };

/** What the server takes of a file, and of files with one message. */
export const MAX_BYTES = 20 * 1_048_576;
export const MAX_FILES = 20;
