import { z } from "zod";
import type { UploadedFile } from "../../adapter-host.ts";
import { decodeBase64, decodeDataUrl } from "../../conversations/data-url.ts";
import type { ChatMessage, ClientTranscript } from "../conversation/chat-command.ts";
import { invalidParam } from "../openai-error.ts";

const MAX_FILES = 20;
const DATA_URL = /^data:([\w.+-]{1,100}\/[\w.+-]{1,100})?(?:;[\w-]{1,40}=[\w.+-]{1,60})*;base64,/;
const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "application/pdf": "pdf",
  "text/plain": "txt",
  "text/markdown": "md",
  "text/csv": "csv",
};

/** The text of a message or of one of its parts. */
export const messageText = z.string().max(500_000, "must have up to 500,000 characters: send more as a file");

/** Reads a message's content: `read` returns the text or the file of one part. */
export function readContent<Part>(
  content: string | readonly Part[] | null | undefined,
  param: string,
  read: (part: Part, param: string) => string | UploadedFile,
): Pick<ChatMessage, "content"> & { readonly files: readonly UploadedFile[] } {
  if (typeof content === "string" || !content) return { content: content ?? "", files: [] };
  const parts = content.map((part, at) => read(part, `${param}.${at}`));
  const files = parts.filter((part) => typeof part !== "string");
  if (files.length > MAX_FILES) throw invalidParam(param, `may hold up to ${MAX_FILES} files`);
  return { content: parts.filter((part) => typeof part === "string").join("\n"), files };
}

interface RoleMessage extends ReturnType<typeof readContent> {
  readonly role: string;
}

/** The transcript of these messages, without tool messages; undefined: the last message is not a user's. */
export function transcriptOf(
  messages: readonly RoleMessage[],
  instructions: readonly string[] = [],
): ClientTranscript | undefined {
  const context = [...instructions];
  const history: ChatMessage[] = [];
  for (const { role, content, files } of messages) {
    if (role === "system" || role === "developer") context.push(content);
    else if ((role === "user" || role === "assistant") && (content.trim() !== "" || files.length > 0))
      history.push({ role, content, files });
  }
  const newest = history.pop();
  return newest?.role === "user" ? { context: context.join("\n\n").trim(), history, newest } : undefined;
}

/** The file in a data URL; nothing is fetched, wherever else a URL leads. */
export function fileInDataUrl(url: string, param: string, name?: string): UploadedFile {
  if (/^https?:/i.test(url))
    throw invalidParam(
      param,
      "URLs are not fetched here: send the file itself as a data URL (data:image/png;base64,…)",
    );
  const data = DATA_URL.test(url) ? decodeDataUrl(url) : "not a data: URL";
  if (data === "not Base64") throw invalidParam(param, "is not base64");
  if (typeof data === "string")
    throw invalidParam(param, "must be a data URL with base64, such as data:image/png;base64,…");
  return namedFile(data.content, param, data.mediaType || "application/octet-stream", name);
}

/** The file in `file_data`: a data URL, or base64. */
export function fileInData(data: string, param: string, name?: string): UploadedFile {
  return data.startsWith("data:")
    ? fileInDataUrl(data, param, name)
    : namedFile(decodeBase64(data), param, "application/octet-stream", name);
}

function namedFile(content: Buffer | undefined, param: string, mediaType: string, name = ""): UploadedFile {
  if (!content || content.length === 0) throw invalidParam(param, "is not base64");
  const printable = name.replaceAll(/\p{Cc}/gu, "").slice(0, 255);
  return { name: printable || `file.${EXTENSIONS[mediaType] ?? "bin"}`, mediaType, content };
}
