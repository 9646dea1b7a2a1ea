import { RUN_EXTENSION } from "../extension/extension-member.ts";
import { isObject, type Json, type Metadata } from "../protocol/model.ts";

/** The member of our extension under which older dialects carry what they have no field for; nothing else may use it. */
const CARRIED = "carried";

/** Members by name; those that are undefined are not carried. */
export type Carriage = Readonly<Record<string, Json | undefined>>;

/** Metadata with these members added; the same object when there are none. */
export function carry(metadata: Metadata | undefined, carriage: Carriage): Metadata | undefined {
  const members = withoutUndefined(carriage);
  if (members === undefined) return metadata;
  const extension = metadata?.[RUN_EXTENSION];
  const own = isObject(extension) ? extension : {};
  const before = isObject(own[CARRIED]) ? own[CARRIED] : {};
  return { ...metadata, [RUN_EXTENSION]: { ...own, [CARRIED]: { ...before, ...members } } };
}

/** Takes these members out again; the metadata that is left has no empty objects, and may be gone altogether. */
export function uncarry(
  metadata: Metadata | undefined,
  names: readonly string[],
): { readonly carried: { readonly [name: string]: Json }; readonly metadata: Metadata | undefined } {
  const extension = metadata?.[RUN_EXTENSION];
  const carried = isObject(extension) ? extension[CARRIED] : undefined;
  if (!isObject(extension) || !isObject(carried)) return { carried: {}, metadata };
  const taken = pick(carried, (name) => names.includes(name)) ?? {};
  const left = pick(carried, (name) => !names.includes(name));
  const members = withoutUndefined({ ...extension, [CARRIED]: left });
  return { carried: taken, metadata: withoutUndefined({ ...metadata, [RUN_EXTENSION]: members }) };
}

/** Metadata without carried members, for content that is passed on in another dialect. */
export function withoutCarriage(metadata: Metadata | undefined): Metadata | undefined {
  const extension = metadata?.[RUN_EXTENSION];
  if (!isObject(extension) || extension[CARRIED] === undefined) return metadata;
  const members = withoutUndefined({ ...extension, [CARRIED]: undefined });
  return withoutUndefined({ ...metadata, [RUN_EXTENSION]: members });
}

function pick(value: Metadata, wanted: (name: string) => boolean): Metadata | undefined {
  return withoutUndefined(Object.fromEntries(Object.entries(value).filter(([name]) => wanted(name))));
}

function withoutUndefined(value: Carriage): Metadata | undefined {
  const entries = Object.entries(value).filter((entry): entry is [string, Json] => entry[1] !== undefined);
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** A carried member if it is a text. */
export function carriedText(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A carried member if it is a list of texts. */
export function carriedTexts(value: Json | undefined): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.every((item) => typeof item === "string") ? value : undefined;
}
