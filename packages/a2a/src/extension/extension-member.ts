import { z } from "zod";
import type { AgentExtension } from "../cards/agent-card.ts";
import { isObject, type Json, type Metadata, type Part } from "../protocol/model.ts";

/** The one extension that we declare: what A2A has no field for travels under this name. */
export const RUN_EXTENSION = "urn:parley:ext:run:1";

/** How a card declares the extension; it is never required. */
export const runExtension: AgentExtension = {
  uri: RUN_EXTENSION,
  description: "Sessions, tool calls, provenance, budgets, plans, approvals and usage of a run",
  required: false,
};

/** One kind of thing that the extension carries: its name there and what it looks like. */
export interface ExtensionMember<Value> {
  readonly name: string;
  readonly schema: z.ZodType<Value>;
}

/** Defines a member by the fields of its values. */
export function extensionMember<Shape extends z.ZodRawShape>(name: string, shape: Shape) {
  return { name, schema: z.object(shape) } satisfies ExtensionMember<unknown>;
}

interface ExtensionFinding {
  readonly member: string;
  /** Where in the member, like `steps[0].state`; empty for the member itself. */
  readonly path: string;
  readonly message: string;
}

/** A member that was read; neither a value nor a finding: it is not there. */
export interface Reading<Value> {
  readonly value?: Value;
  readonly finding?: ExtensionFinding;
}

/** Metadata with this member in it; what else is there stays, other members of the extension too. */
export function withMember<Value>(
  metadata: Metadata | undefined,
  { name }: ExtensionMember<Value>,
  value: Value,
): Metadata {
  const others = metadata?.[RUN_EXTENSION];
  const extension = isObject(others) ? others : {};
  // A schema's values are JSON, but the compiler cannot see that of every one.
  return { ...metadata, [RUN_EXTENSION]: { ...extension, [name]: value as Json } };
}

/** Metadata without this member; undefined where nothing else is there. */
export function withoutMember(
  metadata: Metadata | undefined,
  { name }: ExtensionMember<unknown>,
): Metadata | undefined {
  const members = metadata?.[RUN_EXTENSION];
  if (!isObject(members) || !Object.hasOwn(members, name)) return metadata;
  const { [name]: _, ...left } = members;
  const { [RUN_EXTENSION]: __, ...others } = metadata ?? {};
  const kept = Object.keys(left).length > 0 ? { ...others, [RUN_EXTENSION]: left } : others;
  return Object.keys(kept).length > 0 ? kept : undefined;
}

/** Reads a member from metadata; what the schema does not know is ignored, what does not fit is a finding. */
export function memberIn<Value>(
  metadata: Metadata | undefined,
  { name, schema }: ExtensionMember<Value>,
): Reading<Value> {
  const extension = metadata?.[RUN_EXTENSION];
  if (extension === undefined) return {};
  if (!isObject(extension))
    return { finding: { member: name, path: "", message: "the extension is no object" } };
  const member = Object.hasOwn(extension, name) ? extension[name] : undefined;
  if (member === undefined) return {};
  const parsed = schema.safeParse(member);
  if (parsed.success) return { value: parsed.data };
  const [issue] = parsed.error.issues;
  const path = (issue?.path ?? []).map(step).join("").replace(/^\./, "");
  return { finding: { member: name, path, message: issue?.message ?? "it cannot be read" } };
}

/** A data part that carries the member, in the same shape as metadata does. */
export function memberPart<Value>(member: ExtensionMember<Value>, value: Value): Part {
  return { data: withMember(undefined, member, value), mediaType: "application/json" };
}

/** Reads a member from a data part; other parts have none. */
export function memberInPart<Value>({ data }: Part, member: ExtensionMember<Value>): Reading<Value> {
  return isObject(data) ? memberIn(data, member) : {};
}

function step(key: PropertyKey): string {
  return typeof key === "number" ? `[${key}]` : `.${String(key)}`;
}
