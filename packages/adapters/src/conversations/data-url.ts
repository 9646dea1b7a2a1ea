/** The content of a data URL, and its media type, which may be empty. */
export interface DataUrl {
  readonly mediaType: string;
  readonly content: Buffer;
}

const HEAD = /^data:([^;,]*)((?:;[^;,]*)*),/;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
const STORED = /\/api\/v1\/files\/([0-9a-f]{64})\/content$/;

/** Decodes a data URL, or says why it cannot be decoded. Nothing is fetched, wherever else a URL leads. */
export function decodeDataUrl(url: string): DataUrl | "not a data: URL" | "not Base64" {
  const [head, mediaType = "", parameters = ""] = HEAD.exec(url) ?? [];
  const data = head === undefined ? undefined : percentDecoded(url.slice(head.length));
  if (data === undefined) return "not a data: URL";
  if (!/;base64$/i.test(parameters)) return { mediaType, content: Buffer.from(data) };
  const content = decodeBase64(data);
  return content ? { mediaType, content } : "not Base64";
}

/** Decodes Base64 text, which may hold white space; undefined: it is not Base64. */
export function decodeBase64(text: string): Buffer | undefined {
  const plain = /\s/.test(text) ? text.replaceAll(/\s+/g, "") : text;
  return BASE64.test(plain) ? Buffer.from(plain, "base64") : undefined;
}

/** The URL of a stored file; a client that sends it back means that file. */
export function storedFileUrl(blob: string): string {
  return `/api/v1/files/${blob}/content`;
}

/** The id of the stored file in a URL. */
export function storedFileIn(url: string): string | undefined {
  return STORED.exec(url)?.[1];
}

/** Text without its percent-encoding; undefined: it is not well encoded. */
export function percentDecoded(text: string): string | undefined {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
