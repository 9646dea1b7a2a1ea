import { isObject } from "../protocol/model.ts";

/** Something in a card that a person should know; an error breaks the specification, a warning is merely odd. */
export interface CardFinding {
  readonly severity: "error" | "warning";
  /** Where, like `$.skills[0].tags`. */
  readonly path: string;
  readonly message: string;
}

export type JsonObject = { readonly [name: string]: unknown };

/** A hostile card has hundreds of thousands. */
const MAX_FINDINGS = 500;

/** Reads members of a card that may be anything, keeps what can be kept, and notes what could not. */
export class CardFindings {
  readonly list: CardFinding[] = [];
  readonly #seen = new Set<string>();

  error(path: string, message: string): void {
    this.#add({ severity: "error", path, message });
  }

  warning(path: string, message: string): void {
    this.#add({ severity: "warning", path, message });
  }

  /** Findings are unique, although a card is read once for each version that it may be in. */
  #add(finding: CardFinding): void {
    const key = `${finding.path} ${finding.message}`;
    if (this.list.length >= MAX_FINDINGS || this.#seen.has(key)) return;
    this.#seen.add(key);
    this.list.push(finding);
  }

  /** A member by its name, or by the name with underscores that some agents send; null counts as missing. */
  member(value: JsonObject, name: string, path: string): unknown {
    if (value[name] !== undefined) return value[name] ?? undefined;
    const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (snake === name || value[snake] === undefined) return undefined;
    this.warning(`${path}.${snake}`, `it is called ${name}`);
    return value[snake] ?? undefined;
  }

  text(value: JsonObject, name: string, path: string): string | undefined {
    const found = this.member(value, name, path);
    if (found === undefined || typeof found === "string") return found;
    if (typeof found === "number" || typeof found === "boolean") {
      this.warning(`${path}.${name}`, `a text was expected, not ${JSON.stringify(found)}`);
      return String(found);
    }
    this.error(`${path}.${name}`, "it is not a text");
    return undefined;
  }

  /** A text that the specification asks for; without it the card is still read. */
  requiredText(value: JsonObject, name: string, path: string): string {
    const found = this.text(value, name, path);
    if (found === undefined) this.error(`${path}.${name}`, "it is required");
    return found ?? "";
  }

  flag(value: JsonObject, name: string, path: string): boolean | undefined {
    const found = this.member(value, name, path);
    if (found === undefined || typeof found === "boolean") return found;
    this.warning(`${path}.${name}`, `true or false was expected, not ${JSON.stringify(found)}`);
    return found === "true" || found === 1;
  }

  object(value: JsonObject, name: string, path: string): JsonObject | undefined {
    const found = this.member(value, name, path);
    if (found === undefined || isObject(found)) return found;
    this.error(`${path}.${name}`, "it is not an object");
    return undefined;
  }

  /** A list; a single value stands for a list of one. */
  items(value: JsonObject, name: string, path: string): readonly unknown[] | undefined {
    const found = this.member(value, name, path);
    if (found === undefined || Array.isArray(found)) return found;
    this.warning(`${path}.${name}`, "a list was expected");
    return [found];
  }

  texts(value: JsonObject, name: string, path: string): string[] | undefined {
    const found = this.items(value, name, path);
    return found?.filter((item, index): item is string => {
      if (typeof item === "string") return true;
      this.warning(`${path}.${name}[${index}]`, "it is not a text");
      return false;
    });
  }
}

/** Some agents write null for what they leave out. */
export function withoutNulls(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, it]) => it !== null));
}

type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The object without its undefined members, so that missing members are absent. */
export function definedMembers<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, it]) => it !== undefined)) as Defined<T>;
}
