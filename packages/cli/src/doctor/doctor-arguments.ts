import type { PinnedKey } from "@parley/a2a";
import { z } from "zod";
import { CommandError, EXIT } from "../command-error.ts";
import { readGivenFile } from "../given-file.ts";
import { apiKey, defaultServer } from "../server-address.ts";

/** Parses an agent's address. */
export function agentUrl(text: string): URL {
  const url = URL.parse(/^[a-z][a-z+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new CommandError(`"${text}" is not an agent URL like http://localhost:8001`, EXIT.usage);
  if (url.username !== "" || url.password !== "")
    throw new CommandError("Pass credentials with --header, not in the URL", EXIT.usage);
  return url;
}

/** Parses header lines; errors do not repeat them, because they may contain secrets. */
export function headersOf(lines: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    lines.map((line) => {
      const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(\S.*)$/.exec(line) ?? [];
      if (name === undefined || value === undefined)
        throw new CommandError("--header must be like 'Authorization: Bearer …'", EXIT.usage);
      return [name.toLowerCase(), value.trim()];
    }),
  );
}

/** Adds our own API key for the Parley that it belongs to, and for no other host. */
export function withOwnKey(
  { origin }: URL,
  headers: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const key = apiKey();
  const own = URL.parse(defaultServer())?.origin;
  if (key === undefined || origin !== own || headers.has("authorization")) return headers;
  return new Map([...headers, ["authorization", `Bearer ${key}`]]);
}

const jwk = z.looseObject({ kid: z.string(), kty: z.string() });
const keyFile = z.union([z.object({ keys: z.array(jwk) }), jwk.transform((key) => ({ keys: [key] }))]);

/** Reads a file with a JWK or a JWKS. */
export async function readKeys(file: string): Promise<PinnedKey[]> {
  const text = await readGivenFile(file);
  try {
    return keyFile.parse(JSON.parse(text)).keys.map((key) => ({ keyId: key.kid, jwk: key }));
  } catch {
    throw new CommandError(`${file} is not a JWK with a kid, or a JWKS`, EXIT.usage);
  }
}
