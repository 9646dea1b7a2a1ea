import type { UploadedFile } from "../../adapter-host.ts";
import { decodeBase64, decodeDataUrl } from "../../conversations/data-url.ts";
import { invalidParam } from "../openai-error.ts";

const DATA = /^data:([\w.+-]{1,100}\/[\w.+-]{1,100})?(?:;[\w-]{1,40}=[\w.+-]{1,60})*;base64,/;
const ENDINGS: Readonly<Record<string, string>> = {
  ...{ "image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp" },
  ...{ "application/pdf": "pdf", "text/plain": "txt", "text/markdown": "md", "text/csv": "csv" },
};

/** The file in a data URL; nothing is fetched, wherever else a URL leads. */
export function fileInDataUrl(url: string, param: string, name?: string): UploadedFile {
  if (/^https?:/i.test(url))
    throw invalidParam(
      param,
      "URLs are not fetched here: send the file itself as a data URL (data:image/png;base64,…)",
    );
  const data = DATA.test(url) ? decodeDataUrl(url) : "not a data: URL";
  if (data === "not Base64") throw invalidParam(param, "is not base64");
  if (typeof data === "string")
    throw invalidParam(param, "must be a data URL with base64, such as data:image/png;base64,…");
  return namedFile(data.content, param, { mediaType: data.mediaType || "application/octet-stream", name });
}

/** The file in base64. */
export function fileInBase64(
  base64: string,
  param: string,
  { mediaType, name }: { readonly mediaType: string; readonly name?: string | undefined },
): UploadedFile {
  return namedFile(decodeBase64(base64), param, { mediaType, name });
}

function namedFile(
  content: Buffer | undefined,
  param: string,
  { mediaType, name = "" }: { readonly mediaType: string; readonly name?: string | undefined },
): UploadedFile {
  if (!content || content.length === 0) throw invalidParam(param, "is not base64");
  const called = name.replaceAll(/\p{Cc}/gu, "").slice(0, 255);
  return { name: called || `file.${ENDINGS[mediaType] ?? "bin"}`, mediaType, content };
}
