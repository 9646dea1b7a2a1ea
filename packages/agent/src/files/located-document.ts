import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument, visit } from "yaml";
import type { z } from "zod";
import { closestName } from "./closest-name.ts";

/** What is wrong with a file, where, and what was expected there. */
export interface FileProblem {
  readonly file: string;
  readonly line: number;
  readonly message: string;
  /** A file with an error is not taken up; a warning changes nothing. */
  readonly severity: "error" | "warning";
}

/** A problem as one line, in the form that editors can jump to. */
export function problemText({ file, line, message, severity }: FileProblem): string {
  return `${file}:${line}: ${severity === "warning" ? "warning: " : ""}${message}`;
}

/** What an issue expected and what it found, in words for the author of a file. */
function issueMessage(issue: z.core.$ZodIssue, found: unknown): string {
  const path = pathText(issue.path);
  const missing = found === undefined;
  switch (issue.code) {
    case "invalid_type":
      return missing
        ? `${path} is missing: expected ${kind(issue.expected)}`
        : `${path}: expected ${kind(issue.expected)}, but this is ${kindOf(found)}${hint(issue.expected, found)}`;
    case "invalid_value": {
      const expected = issue.values.map(String).join(", ");
      return missing
        ? `${path} is missing: expected one of ${expected}`
        : `${path}: expected one of ${expected}, but this is ${short(found)}`;
    }
    case "too_small":
      return issue.origin === "string"
        ? `${path} is empty`
        : `${path}: expected at least ${issue.minimum}, but this is ${short(found)}`;
    case "too_big":
      return issue.origin === "string"
        ? `${path}: expected at most ${issue.maximum} characters`
        : `${path}: expected at most ${issue.maximum}, but this is ${short(found)}`;
    default:
      return `${path}: ${issue.message}, but this is ${short(found)}`;
  }
}

/** A path as people write it: `skills[0].tags`. */
function pathText(path: readonly PropertyKey[]): string {
  const text = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  return text.replace(/^\./, "") || "the document";
}

const kinds: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "keys with values",
  record: "keys with values",
};

function kind(expected: string): string {
  return kinds[expected] ?? expected;
}

function kindOf(value: unknown): string {
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  return kind(typeof value);
}

function hint(expected: string, found: unknown): string {
  return expected === "string" && (typeof found === "number" || typeof found === "boolean")
    ? ": put it in quotes"
    : "";
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

type Path = readonly PropertyKey[];

/** YAML or JSON (which is YAML too) that knows the line of everything in it, and collects what is wrong. */
export class LocatedDocument {
  readonly problems: FileProblem[] = [];
  readonly value: unknown;
  readonly #file: string;
  readonly #firstLine: number;
  readonly #lines = new LineCounter();
  readonly #document: Document;

  /** `firstLine` is the line of the file in which the text begins. */
  constructor(text: string, file: string, firstLine = 1) {
    this.#file = file;
    this.#firstLine = firstLine;
    this.#document = parseDocument(text, {
      lineCounter: this.#lines,
      prettyErrors: false,
      logLevel: "error",
    });
    keepPlusSigns(this.#document);
    for (const error of [...this.#document.errors, ...this.#document.warnings]) {
      this.#add(this.#line(error.pos[0]), error.message, "error");
    }
    this.value = this.#plainValue();
  }

  /** Whether nothing worse than a warning was found so far. */
  get isGood(): boolean {
    return this.problems.every((problem) => problem.severity === "warning");
  }

  get problemsByLine(): FileProblem[] {
    return this.problems.toSorted((a, b) => a.line - b.line);
  }

  at(path: Path): unknown {
    return valueAt(this.value, path);
  }

  /** What is at this path, if the schema takes it; else undefined, and the problems say why. */
  check<Value>(
    schema: z.ZodType<Value>,
    path: Path = [],
    unknownKeys: FileProblem["severity"] = "error",
  ): Value | undefined {
    const result = schema.safeParse(this.at(path), { reportInput: true });
    if (result.success) return result.data;
    for (const issue of result.error.issues) this.#reportIssue(issue, path, { schema, unknownKeys });
    const onlyWarned = result.error.issues.every(({ code }) => code === "unrecognized_keys");
    if (unknownKeys === "error" || !onlyWarned) return undefined;
    return schema.safeParse(withoutKeys(this.at(path), result.error.issues)).data;
  }

  report(path: Path, message: string, severity: FileProblem["severity"] = "error"): void {
    this.#add(this.#lineOf(path), message, severity);
  }

  #reportIssue(
    issue: z.core.$ZodIssue,
    base: Path,
    how: { readonly schema: z.ZodType; readonly unknownKeys: FileProblem["severity"] },
  ): void {
    const path = [...base, ...issue.path];
    if (issue.code !== "unrecognized_keys") {
      this.report(path, issueMessage({ ...issue, path }, issue.input));
      return;
    }
    for (const key of issue.keys) {
      const meant = closestName(key, knownKeys(how.schema, issue.path));
      const question = meant === undefined ? "" : `: did you mean ${meant}?`;
      const line = this.#lineOfKey(path, key);
      this.#add(line, `${pathText([...path, key])} is not known here${question}`, how.unknownKeys);
    }
  }

  #plainValue(): unknown {
    try {
      return this.#document.toJS();
    } catch (error) {
      this.#add(this.#firstLine, (error as Error).message, "error");
      return undefined;
    }
  }

  #lineOf(path: Path): number {
    for (let length = path.length; length > 0; length--) {
      const parent = this.#document.getIn(path.slice(0, length - 1), true);
      const key = path[length - 1];
      if (typeof key === "string" && isMap(parent) && parent.has(key)) {
        return this.#lineOfKey(path.slice(0, length - 1), key);
      }
      const node = this.#document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return this.#line(node.range[0]);
    }
    return this.#firstLine;
  }

  #lineOfKey(path: Path, key: string): number {
    const map = path.length === 0 ? this.#document.contents : this.#document.getIn(path, true);
    const pair = isMap(map) ? map.items.find((it) => isScalar(it.key) && it.key.value === key) : undefined;
    return isScalar(pair?.key) && pair.key.range ? this.#line(pair.key.range[0]) : this.#lineOf(path);
  }

  #line(offset: number): number {
    return this.#lines.linePos(offset).line + this.#firstLine - 1;
  }

  #add(line: number, message: string, severity: FileProblem["severity"]): void {
    this.problems.push({ file: this.#file, line, message, severity });
  }
}

/** `port: +1` is not the number 1. */
function keepPlusSigns(document: Document): void {
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === "number" && node.source?.startsWith("+")) node.value = node.source;
    },
  });
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (rest, key) => (typeof rest === "object" && rest !== null ? Reflect.get(rest, key) : undefined),
    value,
  );
}

function withoutKeys(value: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  const copy = structuredClone(value);
  for (const issue of issues) {
    if (issue.code !== "unrecognized_keys") continue;
    const owner = valueAt(copy, issue.path);
    for (const key of issue.keys) if (typeof owner === "object" && owner) Reflect.deleteProperty(owner, key);
  }
  return copy;
}

/** The keys that an object schema knows at this path, for saying what a misspelt one was meant to be. */
function knownKeys(schema: unknown, path: readonly PropertyKey[]): string[] {
  const owner = path.reduce<unknown>((rest, key) => {
    const { shape, def } = inner(rest) as {
      shape?: object;
      def?: { element?: unknown; valueType?: unknown };
    };
    return shape ? Reflect.get(shape, key) : (def?.element ?? def?.valueType ?? {});
  }, schema);
  return Object.keys((inner(owner) as { shape?: object }).shape ?? {});
}

function inner(schema: unknown): unknown {
  const definition = (schema as { def?: { innerType?: unknown; out?: unknown } }).def;
  const wrapped = definition?.innerType ?? definition?.out;
  return wrapped === undefined ? schema : inner(wrapped);
}
