import { MAX_MESSAGE_FILES, type Principal } from "@parley/sessions";
import { z } from "zod";
import type { Files } from "../adapter-host.ts";
import { decodeDataUrl, storedFileIn, storedFileUrl } from "../conversations/data-url.ts";
import { invalid } from "../problem.ts";
import type { UiChunk } from "./encoding/ui-chunk.ts";
import type { UiFile } from "./ui-request.ts";

/** Stores the files that a message carries, and returns the ids of all. */
export async function storeUiFiles(
  files: Files,
  principal: Principal,
  carried: readonly UiFile[],
): Promise<string[]> {
  if (carried.length > MAX_MESSAGE_FILES)
    throw invalid("body.messages", `A message may carry up to ${MAX_MESSAGE_FILES} files`);
  const ids: string[] = [];
  for (const file of carried) ids.push(await kept(files, principal, file));
  return ids;
}

async function kept(files: Files, principal: Principal, file: UiFile): Promise<string> {
  const known = storedFileIn(file.url);
  if (known !== undefined) return (await files.describe(principal, known)).blob;
  if (!file.url.startsWith("data:"))
    throw invalid(
      "body.messages.parts.url",
      "Nothing is fetched from elsewhere: send files as data: URLs, or upload them to /api/v1/files",
    );
  const data = decodeDataUrl(file.url);
  if (typeof data === "string") throw invalid("body.messages.parts.url", `is ${data}`);
  const name = file.filename || "file";
  const mediaType = file.mediaType || data.mediaType || "application/octet-stream";
  return (await files.put(principal, { name, mediaType, content: data.content })).blob;
}

const mediaType = z.string().min(1).catch("application/octet-stream");
/** A file in a part of an artifact: embedded, stored here, or elsewhere. */
const filePart = z.union([
  z
    .object({ raw: z.string(), mediaType })
    .transform((file) => ({ ...file, url: `data:${file.mediaType};base64,${file.raw}` })),
  z.object({ blob: z.string(), mediaType }).transform((file) => ({ ...file, url: storedFileUrl(file.blob) })),
  z.object({ url: z.string(), mediaType }),
]);

/** The files among an artifact's parts. */
export function fileChunks(parts: readonly unknown[]): Extract<UiChunk, { type: "file" }>[] {
  return parts.flatMap((part) => {
    const { data: file } = filePart.safeParse(part);
    return file ? [{ type: "file", url: file.url, mediaType: file.mediaType } as const] : [];
  });
}
