import { CommandError } from "../../command-error.ts";
import { connected, type ServerOptions } from "../../server-address.ts";
import { oneLine } from "../../terminal/plain-text.ts";
import { printJson, printText, tell } from "../../terminal/print.ts";
import { shownTime } from "../../terminal/shown-time.ts";
import { table } from "../../terminal/table.ts";

export interface KeysOptions extends ServerOptions {
  readonly workspace?: string;
  readonly json?: boolean;
}

/** Prints the keys of a workspace. */
export async function listKeys(options: KeysOptions): Promise<void> {
  const { workspace, json } = options;
  const { keys } = await (await connected(options)).listKeys({ ...(workspace && { workspace }) });
  if (json) return printJson({ keys });
  if (keys.length === 0) return tell("There are no keys yet: parley keys create NAME makes one");
  const rows = keys.map(({ id, prefix, name, owner, role, expiresAt, lastUsedAt }) => [
    `${prefix}…`,
    ...[oneLine(name, 40), oneLine(owner, 40), role],
    ...[shownTime(expiresAt) || "never", shownTime(lastUsedAt) || "never", id],
  ]);
  await printText(table(["key", "name", "user", "role", "expires", "last used", "id"], rows));
}

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
