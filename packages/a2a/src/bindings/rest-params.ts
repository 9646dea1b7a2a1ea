import type { IncomingMessage } from "node:http";
import { isObject } from "../dialects/wire-schema.ts";
import { A2AError } from "../protocol/errors.ts";
import { checkContentType } from "./content-type.ts";
import { readOptionalJson } from "./read-json.ts";

const BOOLEANS = new Set(["includeArtifacts"]);

/** What a REST call says in its path and in its body or query, put together as JSON-RPC params would be. */
export async function readParams(
  request: IncomingMessage,
  query: string,
  named: Readonly<Record<string, string>>,
): Promise<Record<string, unknown>> {
  const given = request.method === "POST" ? await readBody(request) : readQuery(query);
  // What the path names is so, however else the body or the query spells it.
  const others = Object.entries(given).filter(([name]) => !Object.hasOwn(named, camelCase(name)));
  return { ...Object.fromEntries(others), ...named };
}

/** The parameters of a query: all are text except booleans, whose text JSON readers do not take. */
export function readQuery(query: string): Record<string, unknown> {
  const parameters = [...new URLSearchParams(query)].map(([name, text]) => {
    const field = camelCase(name);
    return [field, BOOLEANS.has(field) ? booleanOf(text) : text] as const;
  });
  return Object.fromEntries(parameters);
}

// An empty body is an empty request: cancel and subscribe need none.
async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  checkContentType(request);
  const body = (await readOptionalJson(request)) ?? {};
  if (!isObject(body)) throw new A2AError("InvalidParams", "The body must be an object", { field: "body" });
  return body;
}

function booleanOf(text: string): string | boolean {
  return text === "true" || (text === "false" ? false : text);
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
