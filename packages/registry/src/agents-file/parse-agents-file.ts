import { z } from "zod";
import type { AgentListing } from "../agent-listing.ts";
import { agentNamePattern } from "../agent-names.ts";
import { JsonTextError, type LocatedJson, locateJson } from "./located-json.ts";

const text = z.string().min(1, "expected a text that is not empty");
const webUrl = text.refine(isWebUrl, "expected a URL with https:// or http://, without user and password");

const credential = z.discriminatedUnion(
  "kind",
  [
    z.strictObject({ kind: z.literal("apiKey"), value: text }),
    z.strictObject({ kind: z.literal("bearer"), token: text }),
    z.strictObject({ kind: z.literal("basic"), username: text, password: z.string() }),
    z.strictObject({
      kind: z.literal("clientCredentials"),
      clientId: text,
      clientSecret: text,
      secretIn: z.enum(["basic", "post"]).exactOptional(),
      scopes: z.array(text).exactOptional(),
      tokenUrl: webUrl.exactOptional(),
    }),
  ],
  "expected a kind: apiKey, bearer, basic or clientCredentials",
);

/** The whole of `agents.json`; its entries are read one by one, so that a wrong one spoils no other. */
const fileSchema = z.strictObject({
  $schema: z.string().optional(),
  agents: z.record(z.string(), z.unknown()),
});

/** One agent of `agents.json`, after its variables were replaced; `auth` by the names that its card gives its schemes. */
const entrySchema = z.strictObject({
  url: webUrl,
  auth: z.record(z.string(), credential).exactOptional(),
});

function isWebUrl(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}

/** A mistake in `agents.json`: where, and what was expected there; it quotes no value, which could be a secret. */
export interface AgentsFileProblem {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  readonly message: string;
}

/** What an `agents.json` says; `listings` is missing when it cannot be read at all. */
export interface AgentsFileContent {
  readonly listings?: readonly AgentListing[];
  readonly problems: readonly AgentsFileProblem[];
}

type Path = readonly PropertyKey[];

/** Reads an `agents.json`; entries that are wrong are left out and told of, and the rest is taken. */
export function parseAgentsFile(text: string, file: string, variables: Variables): AgentsFileContent {
  try {
    const reading = new Reading(locateJson(text), file, variables);
    const listings = reading.listings();
    return { problems: reading.problems, ...(listings && { listings }) };
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    return { problems: [{ file, line: error.line, message: error.message }] };
  }
}

class Reading {
  readonly problems: AgentsFileProblem[] = [];
  readonly #json: LocatedJson;
  readonly #file: string;
  readonly #variables: Variables;

  constructor(json: LocatedJson, file: string, variables: Variables) {
    this.#json = json;
    this.#file = file;
    this.#variables = variables;
  }

  listings(): AgentListing[] | undefined {
    const agents = this.#check(fileSchema, this.#json.value, [])?.agents;
    return agents && Object.entries(agents).flatMap(([name, entry]) => this.#listing(name, entry) ?? []);
  }

  #listing(name: string, entry: unknown): AgentListing | undefined {
    const path = ["agents", name];
    const before = this.problems.length;
    if (!agentNamePattern.test(name)) {
      this.#report(path, "expected a name of at most 64 of a–z, 0–9, _ and -");
    }
    const expanded = this.#expand(entry, path);
    // What a missing variable leaves behind is not a second mistake.
    const read = this.problems.length === before ? this.#check(entrySchema, expanded, path) : undefined;
    return read && { name, url: read.url, vouched: true, ...(read.auth && { credentials: read.auth }) };
  }

  #expand(value: unknown, path: Path): unknown {
    if (typeof value === "string") {
      return expandVariables(value, this.#variables, (name) =>
        this.#report(path, `the variable ${name} is not set: set it, or write \${${name}:-default}`),
      );
    }
    if (Array.isArray(value)) return value.map((item, index) => this.#expand(item, [...path, index]));
    if (typeof value !== "object" || value === null) return value;
    const members = Object.entries(value).map(([key, item]) => [key, this.#expand(item, [...path, key])]);
    return Object.fromEntries(members);
  }

  #check<Value>(schema: z.ZodType<Value>, value: unknown, path: Path): Value | undefined {
    const { data, error } = schema.safeParse(value);
    for (const issue of error?.issues ?? []) {
      const place = [...path, ...issue.path];
      if (issue.code !== "unrecognized_keys") this.#report(place, issue.message);
      else for (const key of issue.keys) this.#report([...place, key], "it is not known here");
    }
    return data;
  }

  #report(path: Path, message: string): void {
    const place = path.length === 0 ? "the file" : path.map(String).join(".");
    const line = this.#json.lineOf(path);
    this.problems.push({ file: this.#file, line, message: `${place}: ${message}` });
  }
}

/** Where `${NAME}` finds its values; the environment is one. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A text with `${NAME}` and `${NAME:-default}` replaced; `unset` is told of names without value and default. */
function expandVariables(text: string, variables: Variables, unset: (name: string) => void): string {
  return text.replaceAll(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_, name: string, otherwise?: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    // As in a shell, `:-` also stands in for an empty value.
    if (otherwise !== undefined) return value || otherwise;
    if (value === undefined) unset(name);
    return value ?? "";
  });
}
