import type { ContentPart } from "@ag-ui/core";
import type { Principal } from "@parley/sessions";
import type { Files } from "../../api/api-ports.ts";
import { invalid, problemOf } from "../../api/problem.ts";

const DATA_URL = /^data:([^;,]*)(?:;[^;,]*)*?(;base64)?,(.*)$/s;
const BASE64 = /^[A-Za-z0-9+/_=-]*$/;
const MOST_FILES = 20;
const PARLEY = "parley";
/** Where a file of ours is read. */
const KEPT = /^\/api\/v1\/files\/([0-9a-f]{64})\/content$/;

type FilePart = Exclude<ContentPart, { type: "text" }>;

/** Where a client that knows no files of ours reads one; sent back, it is that file. */
export function addressOf(blob: string): string {
  return `/api/v1/files/${blob}/content`;
}

/** A part of a message that is a file, and where it is in the request. */
export interface PlacedFile {
  readonly part: FilePart;
  readonly place: string;
}

/** Those of them that are here, or came with the request: of what was said before, nothing is fetched. */
export async function atHand(
  files: Files,
  principal: Principal,
  placed: readonly PlacedFile[],
): Promise<readonly PlacedFile[]> {
  const found = await Promise.all(
    placed.map(async (file) => {
      const { source } = file.part;
      const known = blobIn(source);
      const isThere = known !== undefined && (await isKept(files, principal, known));
      const isSent = source.type === "data" || (source.type === "url" && DATA_URL.test(source.value));
      return isThere || isSent ? [file] : [];
    }),
  );
  return found.flat();
}

/** Keeps the files that came with a message, and returns their ids: the same files have the same ones. */
export async function keptFiles(
  files: Files,
  principal: Principal,
  placed: readonly PlacedFile[],
): Promise<readonly string[]> {
  const [first] = placed;
  if (first && placed.length > MOST_FILES)
    throw invalid(first.place, `there may be ${MOST_FILES} files at most`);
  return Promise.all(
    placed.map(async ({ part, place }, at) => {
      const { source } = part;
      const known = blobIn(source);
      if (known !== undefined && (await isKept(files, principal, known))) return known;
      if (known !== undefined) throw invalid(`${place}.source`, "There is no such file: send it as data");
      if (source.type === "file")
        throw invalid(
          `${place}.source`,
          "names a file at a provider that Parley cannot read: send it as data",
        );
      const bytes = bytesOf(source, `${place}.source.value`);
      const name = nameOf(part) ?? `${part.type}-${at + 1}`;
      return (await files.put(principal, { name, ...bytes })).blob;
    }),
  );
}

/** The id of a file of ours. */
function blobIn(source: FilePart["source"]): string | undefined {
  if (source.type === "file") return source.provider === PARLEY ? source.value : undefined;
  return source.type === "url" ? KEPT.exec(source.value)?.[1] : undefined;
}

async function isKept(files: Files, principal: Principal, blob: string): Promise<boolean> {
  try {
    return (await files.describe(principal, blob)).blob === blob;
  } catch (error) {
    if (problemOf(error)?.code === "not_found") return false;
    throw error;
  }
}

function bytesOf(source: Extract<FilePart["source"], { type: "data" | "url" }>, place: string) {
  if (source.type === "data") return { mediaType: source.mimeType, content: decoded(source.value, place) };
  const url = DATA_URL.exec(source.value);
  if (!url) throw invalid(place, "must be a data: URL: Parley fetches nothing for a client");
  const [, type = "", isBase64, body = ""] = url;
  const mediaType = source.mimeType ?? (type || "text/plain");
  return { mediaType, content: isBase64 ? decoded(body, place) : percentDecoded(body, place) };
}

function decoded(text: string, place: string): Uint8Array {
  if (!BASE64.test(text)) throw invalid(place, "must be Base64");
  return Buffer.from(text, "base64");
}

function percentDecoded(text: string, place: string): Uint8Array {
  try {
    return Buffer.from(decodeURIComponent(text));
  } catch {
    throw invalid(place, "must be percent-encoded UTF-8");
  }
}

function nameOf({ metadata }: FilePart): string | undefined {
  const { name, filename } = (metadata ?? {}) as { name?: unknown; filename?: unknown };
  const said = [filename, name].find((one) => typeof one === "string" && one !== "" && one.length <= 200);
  return typeof said === "string" ? said : undefined;
}
