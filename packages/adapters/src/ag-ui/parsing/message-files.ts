import type { ContentPart } from "@ag-ui/core";
import { MAX_MESSAGE_FILES, type Principal } from "@parley/sessions";
import type { Files } from "../../adapter-host.ts";
import { decodeBase64, decodeDataUrl, storedFileIn } from "../../conversations/data-url.ts";
import { invalid, unless } from "../../problem.ts";

const PARLEY = "parley";

type FilePart = Exclude<ContentPart, { type: "text" }>;

/** A part of a message that is a file, and where it is in the request. */
export interface PlacedFile {
  readonly part: FilePart;
  readonly place: string;
}

/** The files that are stored here or came with the request; for earlier messages nothing is fetched. */
export async function filesAtHand(
  files: Files,
  principal: Principal,
  placed: readonly PlacedFile[],
): Promise<readonly PlacedFile[]> {
  const found = await Promise.all(
    placed.map(async (file) => {
      const { source } = file.part;
      const known = blobIn(source);
      const isThere = known !== undefined && (await isKept(files, principal, known));
      const isSent = source.type === "data" || (source.type === "url" && /^data:[^,]*,/.test(source.value));
      return isThere || isSent ? [file] : [];
    }),
  );
  return found.flat();
}

/** Stores the files of a message and returns their ids, which depend on the content alone. */
export async function storeMessageFiles(
  files: Files,
  principal: Principal,
  placed: readonly PlacedFile[],
): Promise<readonly string[]> {
  const [first] = placed;
  if (first && placed.length > MAX_MESSAGE_FILES)
    throw invalid(first.place, `there may be ${MAX_MESSAGE_FILES} files at most`);
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

function blobIn(source: FilePart["source"]): string | undefined {
  if (source.type === "file") return source.provider === PARLEY ? source.value : undefined;
  return source.type === "url" ? storedFileIn(source.value) : undefined;
}

async function isKept(files: Files, principal: Principal, blob: string): Promise<boolean> {
  return (await unless("not_found", files.describe(principal, blob)))?.blob === blob;
}

function bytesOf(source: Extract<FilePart["source"], { type: "data" | "url" }>, place: string) {
  if (source.type === "data") {
    const content = decodeBase64(source.value);
    if (!content) throw invalid(place, "must be Base64");
    return { mediaType: source.mimeType, content };
  }
  const data = decodeDataUrl(source.value);
  if (data === "not Base64") throw invalid(place, "must be Base64");
  if (typeof data === "string")
    throw invalid(place, "must be a data: URL: Parley fetches nothing for a client");
  return { mediaType: source.mimeType ?? (data.mediaType || "text/plain"), content: data.content };
}

function nameOf({ metadata }: FilePart): string | undefined {
  const { name, filename } = (metadata ?? {}) as { name?: unknown; filename?: unknown };
  const found = [filename, name].find((one) => typeof one === "string" && one !== "" && one.length <= 200);
  return typeof found === "string" ? found : undefined;
}
