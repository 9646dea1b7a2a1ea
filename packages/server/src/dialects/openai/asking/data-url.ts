import type { UploadedFile } from "../../../api/api-ports.ts";
import { wrong } from "../openai-error.ts";

const DATA = /^data:([\w.+-]{1,100}\/[\w.+-]{1,100})?(?:;[\w-]{1,40}=[\w.+-]{1,60})*;base64,/;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
const ENDINGS: Readonly<Record<string, string>> = {
  ...{ "image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp" },
  ...{ "application/pdf": "pdf", "text/plain": "txt", "text/markdown": "md", "text/csv": "csv" },
};

/** The file in a data URL; nothing is fetched, wherever else a URL leads. */
export function fileInDataUrl(url: string, param: string, name?: string): UploadedFile {
  if (/^https?:/i.test(url))
    throw wrong(
      param,
      "URLs are not fetched here: send the file itself as a data URL (data:image/png;base64,…)",
    );
  const head = DATA.exec(url);
  if (!head) throw wrong(param, "must be a data URL with base64, such as data:image/png;base64,…");
  const mediaType = head[1] ?? "application/octet-stream";
  return fileInBase64(url.slice(head[0].length), param, { mediaType, name });
}

/** The file in base64. */
export function fileInBase64(
  base64: string,
  param: string,
  { mediaType, name }: { readonly mediaType: string; readonly name?: string | undefined },
): UploadedFile {
  const text = base64.replaceAll(/\s+/g, "");
  if (text === "" || !BASE64.test(text)) throw wrong(param, "is not base64");
  const called = (name ?? "").replaceAll(/\p{Cc}/gu, "").slice(0, 255);
  const fallback = `file.${ENDINGS[mediaType] ?? "bin"}`;
  return { name: called || fallback, mediaType, content: Buffer.from(text, "base64") };
}
