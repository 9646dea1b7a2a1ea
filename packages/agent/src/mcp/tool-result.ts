import type { BlobReference } from "@parley/journal";

/** A file that a tool gave back, or a link to one, which nobody follows by itself. */
export type ToolFile =
  | { readonly name: string; readonly mediaType: string; readonly base64: string }
  | { readonly name: string; readonly mediaType?: string; readonly url: string };

/** What a tool gave back, bounded in size. */
export interface ToolResult {
  /** The tool itself says that it failed. */
  readonly failed: boolean;
  /** All of it in words, for the model: a file is a line that names it. */
  readonly text: string;
  /** For the user. */
  readonly files: readonly ToolFile[];
  readonly structured?: unknown;
  /** Something was too large, and the text says so. */
  readonly cut: boolean;
}

/** Where large content goes; the journal's blob store is one. */
export interface LargeContentStore {
  put(content: Uint8Array, mediaType: string): Promise<BlobReference>;
}
