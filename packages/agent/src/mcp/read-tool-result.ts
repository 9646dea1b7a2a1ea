import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import type { BlobReference } from "@parley/journal";
import { GIVEN_AS_FILE } from "@parley/models";

/** A file that a tool returned, or a link to one, which is not followed automatically. */
export type ToolFile =
  | { readonly name: string; readonly mediaType: string; readonly base64: string }
  | { readonly name: string; readonly mediaType?: string; readonly url: string };

export interface ToolResult {
  /** The tool itself reported a failure. */
  readonly failed: boolean;
  /** All of it in words, for the model: a file is a line that names it. */
  readonly text: string;
  readonly files: readonly ToolFile[];
  readonly structured?: unknown;
  /** Something was too large, which the text notes. */
  readonly cut: boolean;
}

/** Where large content goes; the journal's blob store is one. */
interface LargeContentStore {
  put(content: Uint8Array, mediaType: string): Promise<BlobReference>;
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/jpeg": "jpg",
  "image/svg+xml": "svg",
  "audio/mpeg": "mp3",
  "text/plain": "txt",
  "text/markdown": "md",
  "application/octet-stream": "bin",
};
const LONGEST = 200;

/** What a file from a tool is called: as its address ends, else by what it is; always with an ending. */
function fileName(address: string | undefined, kind: string, mediaType: string): string {
  const last = lastSegment(address ?? "");
  const ending = extensionOf(mediaType);
  if (last === "") return `${kind}.${ending}`;
  return /[^.]\.[^.]+$/.test(last) ? last : `${last}.${ending}`;
}

/** A unique name beside those that are taken: `chart-2.svg`. */
function distinctName(name: string, taken: ReadonlySet<string>): string {
  const dot = name.lastIndexOf(".");
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  let distinct = name;
  for (let number = 2; taken.has(distinct); number++) distinct = `${stem}-${number}${ending}`;
  return distinct;
}

function lastSegment(address: string): string {
  const [path = ""] = address.split(/(?<!\/)\/*(?:[?#]|$)/, 1);
  const segment = path.slice(
    Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"), path.lastIndexOf(":")) + 1,
  );
  return readableName(decoded(segment));
}

/** A name without invisible characters, of limited length. */
function readableName(name: string): string {
  return name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}/\\]/gu, "_")
    .slice(-LONGEST);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // Then the sign for "percent" means itself.
    return segment;
  }
}

function extensionOf(mediaType: string): string {
  const type = mediaType.toLowerCase().split(";")[0]?.trim() ?? "";
  const plain = /^[a-z]+\/(?:x-)?([a-z0-9]{1,8})$/.exec(type)?.[1];
  return EXTENSIONS[type] ?? plain ?? "file";
}

/** How much of a result is carried along, and where the rest goes. */
export interface ResultBounds {
  /** The most bytes of text, in all parts together, that a model is shown. */
  readonly textBytes: number;
  readonly fileBytes: number;
  readonly files: number;
  readonly large?: LargeContentStore;
}

/** A file with its metadata fits into one event of a task. */
export const defaultResultBounds: ResultBounds = {
  textBytes: 64 * 1_024,
  fileBytes: 720 * 1_024,
  files: 16,
};

const MAX_LINK_LENGTH = 4_096;

/** Turns what a server answered into a result of bounded size. */
export async function readToolResult(answer: CallToolResult, bounds: ResultBounds): Promise<ToolResult> {
  const reading = new Reading(bounds);
  for (const block of answer.content) await reading.take(block);
  const structured = await reading.structured(answer.structuredContent, answer.content.length === 0);
  return {
    failed: answer.isError === true,
    text: reading.words.join("\n"),
    files: reading.files,
    ...(structured === undefined ? {} : { structured }),
    cut: reading.cut,
  };
}

class Reading {
  readonly files: ToolFile[] = [];
  readonly words: string[] = [];
  cut = false;
  readonly #bounds: ResultBounds;
  readonly #names = new Set<string>();
  #textLeft: number;
  #filesLeftOut = false;

  constructor(bounds: ResultBounds) {
    this.#bounds = bounds;
    this.#textLeft = bounds.textBytes;
  }

  async take(block: ContentBlock): Promise<void> {
    switch (block.type) {
      case "text":
        return this.#text(block.text, "text/plain");
      case "image":
      case "audio": {
        const name = fileName(undefined, block.type, block.mimeType);
        return this.#file(name, block.mimeType, Buffer.from(block.data, "base64"));
      }
      case "resource_link": {
        const { uri: url, mimeType: mediaType } = block;
        const name = readableName(block.name);
        if (url.length > MAX_LINK_LENGTH) return this.#text(`[${name}: ${url}]`, "text/plain");
        if (!this.#hasRoom()) return;
        this.files.push({ name, url, ...(mediaType !== undefined && { mediaType }) });
        return this.#text(`${GIVEN_AS_FILE}${name}, which is at ${url}]`, "text/plain");
      }
      case "resource": {
        const { resource, annotations } = block;
        const isText = "text" in resource;
        const mediaType = resource.mimeType ?? (isText ? "text/plain" : "application/octet-stream");
        const content = isText ? Buffer.from(resource.text) : Buffer.from(resource.blob, "base64");
        await this.#file(fileName(resource.uri, "file", mediaType), mediaType, content);
        const isForModel = annotations?.audience?.includes("assistant") ?? true;
        if (isText && isForModel) await this.#text(resource.text, mediaType);
      }
    }
  }

  /** The structured result if it is small enough; as text too, if there is no other text. */
  async structured(value: unknown, alone: boolean): Promise<unknown> {
    if (value === undefined) return undefined;
    const json = JSON.stringify(value);
    if (alone) await this.#text(json, "application/json");
    if (Buffer.byteLength(json) <= this.#bounds.textBytes) return value;
    if (!alone) await this.#store(Buffer.from(json), "application/json", "the structured result");
    return undefined;
  }

  async #text(text: string, mediaType: string): Promise<void> {
    const bytes = Buffer.from(text);
    if (bytes.length <= this.#textLeft) {
      this.#textLeft -= bytes.length;
      this.words.push(text);
      return;
    }
    // Decoding drops nothing but the character that the cut split.
    const start = new TextDecoder().decode(bytes.subarray(0, this.#textLeft), { stream: true });
    this.#textLeft = 0;
    if (start !== "") this.words.push(start);
    const shown = Buffer.byteLength(start);
    await this.#store(bytes, mediaType, `only the first ${shown} bytes of this text are shown`);
  }

  async #file(wanted: string, mediaType: string, content: Buffer): Promise<void> {
    const { fileBytes } = this.#bounds;
    if (content.byteLength > fileBytes) {
      const reason = `not given to the user, because a file may have ${fileBytes} bytes`;
      return this.#store(content, mediaType, `${wanted} was ${reason}`);
    }
    if (!this.#hasRoom()) return;
    const name = distinctName(wanted, this.#names);
    this.#names.add(name);
    this.files.push({ name, mediaType, base64: content.toString("base64") });
    this.words.push(`${GIVEN_AS_FILE}${name}, ${mediaType}, ${content.byteLength} bytes]`);
  }

  #hasRoom(): boolean {
    const { files } = this.#bounds;
    if (this.files.length < files) return true;
    if (!this.#filesLeftOut)
      this.words.push(`[only the first ${files} files were given to the user: the others were left out]`);
    this.#filesLeftOut = true;
    this.cut = true;
    return false;
  }

  async #store(content: Uint8Array, mediaType: string, what: string): Promise<void> {
    this.cut = true;
    const blob = await this.#bounds.large?.put(content, mediaType);
    const where = blob ? `the whole is kept as ${blob.hash}` : "the rest was dropped";
    this.words.push(`[${what}: ${content.byteLength} bytes of ${mediaType}; ${where}]`);
  }
}
