import { CommandError } from "../../command-error.ts";
import { connected } from "../../server-address.ts";
import { tell } from "../../terminal/print.ts";
import type { KeysOptions } from "./list-keys.ts";

/** Revokes the key of this id or beginning. */
export async function revokeKey(given: string, options: KeysOptions): Promise<void> {
  const of = { ...(options.workspace && { workspace: options.workspace }) };
  const client = await connected(options);
  const { keys } = await client.listKeys(of);
  const wanted = given.replace(/…$/, "");
  const found = keys.filter(
    ({ id, prefix }) => id === wanted || prefix === wanted || wanted.startsWith(prefix),
  );
  const [key, ...more] = found;
  if (!key || more.length > 0)
    throw new CommandError("There is no such key: parley keys lists them, with their ids");
  await client.revokeKey(key.id, of);
  tell(`${key.prefix}… (${key.name}) is good for nothing any more`);
}
