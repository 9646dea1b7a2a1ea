import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import type { LargeContentStore, ToolPart, ToolResult } from "./tool-result.ts";

/** How much of a result is carried along, and where the rest goes. */
export interface ResultBounds {
  /** The most bytes of text, in all parts together, that a model is shown. */
  readonly textBytes: number;
  /** The most bytes of one image or sound that is carried along. */
  readonly mediaBytes: number;
  readonly large?: LargeContentStore;
}

export const defaultResultBounds: ResultBounds = { textBytes: 64 * 1_024, mediaBytes: 256 * 1_024 };

/** Turns what a server answered into a result of bounded size. */
export async function readToolResult(answer: CallToolResult, bounds: ResultBounds): Promise<ToolResult> {
  const reading = new Reading(bounds);
  for (const block of answer.content) await reading.take(block);
  const structured = await reading.structured(answer.structuredContent, answer.content.length === 0);
  return {
    failed: answer.isError === true,
    text: reading.words.join("\n"),
    parts: reading.parts,
    ...(structured === undefined ? {} : { structured }),
    cut: reading.cut,
  };
}

class Reading {
  readonly parts: ToolPart[] = [];
  readonly words: string[] = [];
  cut = false;
  readonly #bounds: ResultBounds;
  #textLeft: number;

  constructor(bounds: ResultBounds) {
    this.#bounds = bounds;
    this.#textLeft = bounds.textBytes;
  }

  async take(block: ContentBlock): Promise<void> {
    switch (block.type) {
      case "text":
        return this.#text(block.text, "text/plain", (text) => ({ type: "text", text }));
      case "image":
      case "audio":
        return this.#media(block.type, block.data, block.mimeType);
      case "resource_link": {
        const { uri, name, description } = block;
        this.parts.push({ type: "link", uri, name, ...(description ? { description } : {}) });
        return this.#say(`[${name}: ${uri}]`);
      }
      case "resource": {
        const { resource } = block;
        const mediaType = resource.mimeType ?? "application/octet-stream";
        if ("blob" in resource)
          return this.#store(Buffer.from(resource.blob, "base64"), mediaType, resource.uri);
        const { uri, mimeType } = resource;
        return this.#text(resource.text, mimeType ?? "text/plain", (text) => ({
          type: "resource",
          uri,
          ...(mimeType ? { mediaType: mimeType } : {}),
          text,
        }));
      }
    }
  }

  /** The structured result if it is small enough to carry; in words too, when nothing else was said. */
  async structured(value: unknown, alone: boolean): Promise<unknown> {
    if (value === undefined) return undefined;
    const json = JSON.stringify(value);
    if (alone) await this.#text(json, "application/json", (text) => ({ type: "text", text }));
    if (Buffer.byteLength(json) <= this.#bounds.textBytes) return value;
    if (!alone) await this.#store(Buffer.from(json), "application/json", "the structured result");
    return undefined;
  }

  async #text(text: string, mediaType: string, part: (text: string) => ToolPart): Promise<void> {
    const bytes = Buffer.from(text);
    if (bytes.length <= this.#textLeft) {
      this.#textLeft -= bytes.length;
      this.parts.push(part(text));
      this.words.push(text);
      return;
    }
    // Decoding drops nothing but the character that the cut split.
    const start = new TextDecoder().decode(bytes.subarray(0, this.#textLeft), { stream: true });
    this.#textLeft = 0;
    if (start !== "") {
      this.parts.push(part(start));
      this.words.push(start);
    }
    await this.#store(
      bytes,
      mediaType,
      `only the first ${Buffer.byteLength(start)} bytes of this text are shown`,
    );
  }

  async #media(type: "image" | "audio", base64: string, mediaType: string): Promise<void> {
    const content = Buffer.from(base64, "base64");
    if (content.length > this.#bounds.mediaBytes) return this.#store(content, mediaType, `${type} left out`);
    this.parts.push({ type, mediaType, base64 });
    this.#say(`[${type}, ${mediaType}, ${content.length} bytes]`);
  }

  async #store(content: Uint8Array, mediaType: string, what: string): Promise<void> {
    this.cut = true;
    const blob = await this.#bounds.large?.put(content, mediaType);
    this.parts.push({ type: "large", mediaType, size: content.byteLength, ...(blob ? { blob } : {}) });
    const where = blob ? `the whole is kept as ${blob.hash}` : "the rest was dropped";
    this.#say(`[${what}: ${content.byteLength} bytes of ${mediaType}; ${where}]`);
  }

  #say(note: string): void {
    this.words.push(note);
  }
}
