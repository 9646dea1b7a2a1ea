import type { BlobReference } from "@parley/journal";

/** A piece of what a tool gave back. */
export type ToolPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly mediaType: string; readonly base64: string }
  | { readonly type: "resource"; readonly uri: string; readonly mediaType?: string; readonly text: string }
  | { readonly type: "link"; readonly uri: string; readonly name: string; readonly description?: string }
  /** What was too large to be carried along; without a reference it was dropped. */
  | {
      readonly type: "large";
      readonly mediaType: string;
      readonly size: number;
      readonly blob?: BlobReference;
    };

/** What a tool gave back, bounded in size. */
export interface ToolResult {
  /** The tool itself says that it failed. */
  readonly failed: boolean;
  /** All of it in words, for the model. */
  readonly text: string;
  readonly parts: readonly ToolPart[];
  /** The structured result, for tools that declare one. */
  readonly structured?: unknown;
  /** Something was too large, and the text says so. */
  readonly cut: boolean;
}

/** Where large content goes; the journal's blob store is one. */
export interface LargeContentStore {
  put(content: Uint8Array, mediaType: string): Promise<BlobReference>;
}
