import { connected, type ServerOptions } from "../../server-address.ts";
import { oneLine } from "../../terminal/one-line.ts";
import { print, printJson, tell } from "../../terminal/print.ts";
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
  await print(table(["key", "name", "user", "role", "expires", "last used", "id"], rows));
}
