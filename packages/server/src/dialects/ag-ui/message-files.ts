import type { ContentPart } from "@ag-ui/core";
import type { Principal } from "@parley/sessions";
import type { Files } from "../../api/api-ports.ts";
import { invalid } from "../../api/problem.ts";

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

/** Whether it is here, or at hand: else it would have to be fetched. */
export function isKeepable({ part: { source } }: PlacedFile): boolean {
  if (source.type === "file") return source.provider === PARLEY;
  return source.type === "data" || KEPT.test(source.value) || DATA_URL.test(source.value);
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
      if (source.type === "file") {
        if (source.provider === PARLEY) return source.value;
        throw invalid(
          `${place}.source`,
          "names a file at a provider that Parley cannot read: send it as data",
        );
      }
      const [, known] = KEPT.exec(source.value) ?? [];
      if (known !== undefined) return known;
      const bytes = bytesOf(source, `${place}.source.value`);
      const name = nameOf(part) ?? `${part.type}-${at + 1}`;
      return (await files.put(principal, { name, ...bytes })).blob;
    }),
  );
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
