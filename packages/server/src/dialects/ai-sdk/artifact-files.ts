import { z } from "zod";
import type { UiChunk } from "./ui-chunk.ts";

const mediaType = z.string().min(1).catch("application/octet-stream");
/** A file in a part of an artifact: in it, kept by the record, or elsewhere. */
const filePart = z.union([
  z.object({ raw: z.string(), mediaType }).transform((file) => ({ ...file, url: dataUrl(file) })),
  z.object({ blob: z.string(), mediaType }).transform((file) => ({ ...file, url: keptAt(file.blob) })),
  z.object({ url: z.string(), mediaType }),
]);

/** The files among an artifact's parts. */
export function fileChunks(parts: readonly unknown[]): Extract<UiChunk, { type: "file" }>[] {
  return parts.flatMap((part) => {
    const { data: file } = filePart.safeParse(part);
    return file ? [{ type: "file", url: file.url, mediaType: file.mediaType } as const] : [];
  });
}

/** Where a file of the caller's is read. */
export function keptAt(blob: string): string {
  return `/api/v1/files/${blob}/content`;
}

function dataUrl({ raw, mediaType: type }: { readonly raw: string; readonly mediaType: string }): string {
  return `data:${type};base64,${raw}`;
}
