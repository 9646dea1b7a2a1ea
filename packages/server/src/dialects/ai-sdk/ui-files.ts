import type { Principal } from "@parley/sessions";
import type { Files } from "../../api/api-ports.ts";
import { invalid } from "../../api/problem.ts";
import type { UiFile } from "./ui-request.ts";

const DATA = /^data:([^;,]*)((?:;[^;,]*)*),/;
const KEPT = /\/api\/v1\/files\/([0-9a-f]{64})\/content$/;
const MOST_FILES = 20;

/** Keeps the files that a message carries in itself, and answers with the ids of all. */
export async function keptFiles(
  files: Files,
  principal: Principal,
  carried: readonly UiFile[],
): Promise<string[]> {
  if (carried.length > MOST_FILES)
    throw invalid("body.messages", `A message may carry up to ${MOST_FILES} files`);
  const ids: string[] = [];
  for (const file of carried) ids.push(await kept(files, principal, file));
  return ids;
}

async function kept(files: Files, principal: Principal, file: UiFile): Promise<string> {
  const [, known] = KEPT.exec(file.url) ?? [];
  if (known !== undefined) return (await files.describe(principal, known)).blob;
  const [head, type = "", parameters = ""] = DATA.exec(file.url) ?? [];
  if (head === undefined)
    throw invalid(
      "body.messages.parts.url",
      "Nothing is fetched from elsewhere: send files as data: URLs, or upload them to /api/v1/files",
    );
  const name = file.filename || "file";
  const mediaType = file.mediaType || type || "application/octet-stream";
  const data = plain(file.url.slice(head.length));
  const content = /;base64$/i.test(parameters) ? bytes(data) : Buffer.from(data);
  return (await files.put(principal, { name, mediaType, content })).blob;
}

/** What is not Base64 would be read as far as it is, and the rest lost. */
function bytes(data: string): Buffer {
  if (/[^\w+/=\s-]/.test(data)) throw invalid("body.messages.parts.url", "is not Base64");
  return Buffer.from(data, "base64");
}

function plain(data: string): string {
  if (!data.includes("%")) return data;
  try {
    return decodeURIComponent(data);
  } catch {
    throw invalid("body.messages.parts.url", "is not a data: URL");
  }
}
