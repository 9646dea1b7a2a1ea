import { z } from "zod";
import { A2AError, type A2AErrorKind } from "../protocol/errors.ts";
import { isObject, type Json, type Metadata } from "../protocol/model.ts";

const STANDARD = /^[A-Za-z0-9+/]*={0,2}$/;
const TIMESTAMP = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|z|[+-]\d\d:?\d\d)?$/;

/** A member that may be missing. */
export const optional = z.exactOptional;

/** Any JSON value. */
export const json = z.custom<Json>(() => true);

/** A JSON object that is taken as it is. */
export const metadata = z.custom<Metadata>(isObject, "must be an object");

/** What a list of a request may hold: an invalid one costs time for each of its items. */
export const MAX_ITEMS = 10_000;

/** A count: a whole number that is not negative, as a number or, as ProtoJSON allows, as its digits. */
export const count = z.preprocess(
  (value) => (typeof value === "string" && /^-?\d{1,10}$/.test(value) ? Number(value) : value),
  z.int32().min(0),
);

/** Base64 of either alphabet, with or without padding; comes out as the standard one with padding. */
export const base64 = z.string().transform((text, context) => {
  if (text.length % 4 === 0 && STANDARD.test(text)) return text;
  const bare = text
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replace(/(?<!=)=+$/, "");
  if (/^[A-Za-z0-9+/]*$/.test(bare) && bare.length % 4 !== 1) {
    return bare.padEnd(Math.ceil(bare.length / 4) * 4, "=");
  }
  context.addIssue({ code: "custom", message: "must be base64" });
  return z.NEVER;
});

/** A time of RFC 3339; comes out in UTC with Z, its fraction kept. Old agents leave out the zone: UTC. */
export const timestamp = z.string().transform((text, context) => {
  const utc = inUtc(text);
  if (utc !== undefined) return utc;
  context.addIssue({ code: "custom", message: "must be a time such as 2025-01-31T12:00:00Z" });
  return z.NEVER;
});

function inUtc(text: string): string | undefined {
  const [, day, time, fraction = "", zone = "Z"] = TIMESTAMP.exec(text) ?? [];
  const moment = Date.parse(`${day}T${time}${zone === "z" ? "Z" : zone}`);
  if (Number.isNaN(moment)) return undefined;
  const utc = new Date(moment).toISOString();
  return `${utc.slice(0, -".000Z".length)}${fraction}Z`;
}

/** The members of a wire object: how they may be spelt, and which of them an empty text sets. */
export interface ObjectRules {
  /** ProtoJSON readers take snake_case too. */
  readonly snakeCase?: boolean;
  /** Members for which "" (and, for `data`, null) is a value and not the same as absent. */
  readonly present?: readonly string[];
}

/** An object whose unknown members are dropped and in which null and "" are the same as absent. */
export function wireObject<S extends z.ZodRawShape>(shape: S, rules: ObjectRules = {}) {
  const aliases = rules.snakeCase ? snakeCaseAliases(Object.keys(shape)) : new Map<string, string>();
  const present = new Set(rules.present);
  const isAbsent = (name: string, value: unknown) =>
    value === undefined ||
    (value === null && !(name === "data" && present.has(name))) ||
    (value === "" && !present.has(name));
  const normalise = (value: unknown): unknown => {
    if (!isObject(value)) return value;
    const names = Object.keys(value);
    if (!names.some((name) => aliases.has(name) || isAbsent(name, value[name]))) return value;
    const kept = names.filter((name) => !isAbsent(aliases.get(name) ?? name, value[name]));
    return Object.fromEntries(kept.map((name) => [aliases.get(name) ?? name, value[name]]));
  };
  return z.preprocess(normalise, z.object(shape));
}

function snakeCaseAliases(names: readonly string[]): Map<string, string> {
  const pairs = names.map((name) => [name.replace(/[A-Z]/g, (it) => `_${it.toLowerCase()}`), name] as const);
  return new Map(pairs.filter(([snake, name]) => snake !== name));
}

/** The parameters of a call, or InvalidParams with the field that is wrong. */
export function parseParams<S extends z.ZodType>(schema: S, params: unknown): z.output<S> {
  return parse(schema, params ?? {}, "InvalidParams", "params");
}

/** The answer of an agent, or InvalidAgentResponse with the field that is wrong. */
export function parseAnswer<S extends z.ZodType>(schema: S, answer: unknown): z.output<S> {
  return parse(schema, answer, "InvalidAgentResponse", "result");
}

function parse<S extends z.ZodType>(schema: S, value: unknown, kind: A2AErrorKind, whole: string) {
  const parsed = schema.safeParse(value, {
    error: ({ input }) => (input === undefined ? "is required" : undefined),
  });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = fieldName(issue?.path ?? []) || whole;
  throw new A2AError(kind, `${field}: ${issue?.message ?? "is invalid"}`, { field });
}

function fieldName(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, step) => {
    if (typeof step === "number") return `${name}[${step}]`;
    return name === "" ? String(step) : `${name}.${String(step)}`;
  }, "");
}
