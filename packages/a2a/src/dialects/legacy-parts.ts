import { z } from "zod";
import { isObject, type Json, type Metadata, type Part } from "../protocol/model.ts";
import { carriedText, carry, uncarry } from "./carried.ts";
import { base64, json, metadata, optional, wireObject } from "./wire-schema.ts";

/** How a part says what it is: v0.3 has `kind`, v0.1 `type`. */
export type PartTag = "kind" | "type";

/** The mark that the official SDKs put on data which is no object and therefore travels as `{value}`. */
const WRAPPED = "data_part_compat";

const text = z.string();

const file = wireObject(
  { bytes: optional(base64), uri: optional(text), name: optional(text), mimeType: optional(text) },
  { present: ["bytes", "uri"] },
).superRefine((value, context) => {
  if ((value.bytes === undefined) !== (value.uri === undefined)) return;
  context.addIssue({ code: "custom", message: "must have either bytes or uri" });
});

/** A part of v0.3 or v0.1; the tag may be missing, for what it would say can be seen. */
export const legacyPart: z.ZodType<Part> = wireObject(
  {
    kind: optional(text),
    type: optional(text),
    text: optional(text),
    file: optional(file),
    data: optional(json),
    metadata: optional(metadata),
  },
  { present: ["text"] },
).transform((part, context): Part => {
  const members = (["text", "file", "data"] as const).filter((name) => part[name] !== undefined);
  const tag = part.kind ?? part.type ?? members[0];
  if (tag === "text" && part.text !== undefined) return { text: part.text, ...described(part.metadata) };
  if (tag === "file" && part.file !== undefined) return filePart(part.file, part.metadata);
  if (tag === "data" && part.data !== undefined) return dataPart(part.data, part.metadata);
  const known = tag === "text" || tag === "file" || tag === "data";
  const message = known ? "is required" : "must be a text, a file or data";
  context.addIssue({ code: "custom", message, path: known ? [tag] : [] });
  return z.NEVER;
});

function filePart({ bytes, uri, name, mimeType }: z.output<typeof file>, meta: Metadata | undefined): Part {
  return {
    ...(bytes !== undefined ? { raw: bytes } : { url: uri ?? "" }),
    ...(name !== undefined && { filename: name }),
    ...(mimeType !== undefined && { mediaType: mimeType }),
    ...(meta && { metadata: meta }),
  };
}

function dataPart(data: Json, meta: Metadata | undefined): Part {
  const wrapped = meta?.[WRAPPED] === true && isObject(data) && data.value !== undefined;
  if (!wrapped) return { data, ...described(meta) };
  const { [WRAPPED]: _, ...rest } = meta;
  return { data: data.value ?? null, ...described(Object.keys(rest).length > 0 ? rest : undefined) };
}

function described(meta: Metadata | undefined): Pick<Part, "filename" | "mediaType" | "metadata"> {
  if (meta === undefined) return {};
  const { carried, metadata: rest } = uncarry(meta, ["filename", "mediaType"]);
  const filename = carriedText(carried.filename);
  const mediaType = carriedText(carried.mediaType);
  return {
    ...(filename !== undefined && { filename }),
    ...(mediaType !== undefined && { mediaType }),
    ...(rest && { metadata: rest }),
  };
}

/** A part in the older form; what only files can say there is carried in the metadata. */
export function encodeLegacyPart(part: Part, tag: PartTag): Json {
  if (isPlainText(part))
    return tag === "kind" ? { kind: "text", text: part.text } : { type: "text", text: part.text };
  if (part.raw !== undefined || part.url !== undefined) {
    const content = part.raw !== undefined ? { bytes: part.raw } : { uri: part.url ?? "" };
    const name = part.filename !== undefined && { name: part.filename };
    const mimeType = part.mediaType !== undefined && { mimeType: part.mediaType };
    const members = { [tag]: "file", file: { ...content, ...name, ...mimeType } };
    return part.metadata ? { ...members, metadata: part.metadata } : members;
  }
  const meta = carry(part.metadata, { filename: part.filename, mediaType: part.mediaType });
  if (part.text !== undefined) return withMetadata({ [tag]: "text", text: part.text }, meta);
  const { data = null } = part;
  if (isObject(data)) return withMetadata({ [tag]: "data", data }, meta);
  return { [tag]: "data", data: { value: data }, metadata: { ...meta, [WRAPPED]: true } };
}

// What nearly every token is.
function isPlainText(part: Part): part is { readonly text: string } {
  return (
    part.text !== undefined &&
    part.metadata === undefined &&
    part.filename === undefined &&
    part.mediaType === undefined
  );
}

function withMetadata(members: { readonly [name: string]: Json }, meta: Metadata | undefined): Json {
  return meta ? { ...members, metadata: meta } : members;
}
