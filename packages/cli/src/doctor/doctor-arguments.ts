import { readFile } from "node:fs/promises";
import type { PinnedKey } from "@parley/a2a";
import { z } from "zod";
import { CommandError, EXIT } from "../command-error.ts";
import { fromHere } from "../from-here.ts";
import { shownKey, usualServer } from "../server-address.ts";

/** The address of an agent; a `CommandError` where it is none. */
export function agentUrl(text: string): URL {
  const url = URL.parse(/^[a-z][a-z+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new CommandError(`An agent's address is like http://localhost:8001, not ${text}`, EXIT.usage);
  if (url.username !== "" || url.password !== "")
    throw new CommandError("Give credentials with --header, not in the address", EXIT.usage);
  return url;
}

/** Header lines by name; a `CommandError` that does not repeat what may be a secret. */
export function headersOf(lines: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    lines.map((line) => {
      const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(\S.*)$/.exec(line) ?? [];
      if (name === undefined || value === undefined)
        throw new CommandError("--header is like 'Authorization: Bearer …'", EXIT.usage);
      return [name.toLowerCase(), value.trim()];
    }),
  );
}

/** The headers, and our own API key where the agent is that of the Parley that it opens; nobody else is shown it. */
export function withOwnKey(
  { origin }: URL,
  headers: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const key = shownKey();
  const own = URL.parse(usualServer())?.origin;
  if (key === undefined || origin !== own || headers.has("authorization")) return headers;
  return new Map([...headers, ["authorization", `Bearer ${key}`]]);
}

const jwk = z.looseObject({ kid: z.string(), kty: z.string() });
const keyFile = z.union([z.object({ keys: z.array(jwk) }), jwk.transform((key) => ({ keys: [key] }))]);

/** The keys of a file: a JWK, or a set of them. */
export async function readKeys(file: string): Promise<PinnedKey[]> {
  try {
    const { keys } = keyFile.parse(JSON.parse(await readFile(fromHere(file), "utf8")));
    return keys.map((key) => ({ keyId: key.kid, jwk: key }));
  } catch {
    throw new CommandError(`${file} is not a key (JWK with a kid) or a key set (JWKS) in JSON`, EXIT.usage);
  }
}
