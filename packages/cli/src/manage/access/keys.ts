import type { NewKey } from "@parley/client";
import type { DataPlace } from "@parley/server/data";
import type { MadeKey } from "@parley/server/keys";
import { CommandError, EXIT, withUserErrors } from "../../command-error.ts";
import { defined } from "../../defined.ts";
import { connect, defaultServer, KeyRequiredError, type PrintOptions } from "../../server-address.ts";
import { oneLine } from "../../terminal/plain-text.ts";
import { printJson, printText, tell } from "../../terminal/print.ts";
import { printList } from "../../terminal/print-list.ts";
import { shownTime } from "../../terminal/shown-time.ts";
import type { DataOptions } from "../data-place.ts";

const DAY_MS = 86_400_000;

export interface KeysOptions extends PrintOptions {
  readonly workspace?: string;
}

export interface CreateKeyOptions extends KeysOptions, DataOptions {
  readonly user?: string;
  readonly serviceAccount?: string;
  readonly role: NonNullable<NewKey["role"]>;
  readonly expires?: number;
}

/** Prints the keys of a workspace. */
export async function listKeys(options: KeysOptions): Promise<void> {
  const { keys } = await (await connect(options)).listKeys(defined({ workspace: options.workspace }));
  const rows = keys.map(({ id, prefix, name, owner, role, expiresAt, lastUsedAt }) => [
    `${prefix}…`,
    oneLine(name, 40),
    oneLine(owner, 40),
    role,
    shownTime(expiresAt) || "never",
    shownTime(lastUsedAt) || "never",
    id,
  ]);
  const head = ["key", "name", "user", "role", "expires", "last used", "id"];
  await printList(
    options,
    { keys },
    { head, rows, empty: "No API keys yet; create one with: parley keys create NAME" },
  );
}

/** Revokes the key with this id or prefix. */
export async function revokeKey(given: string, options: KeysOptions): Promise<void> {
  const of = defined({ workspace: options.workspace });
  const client = await connect(options);
  const { keys } = await client.listKeys(of);
  const wanted = given.replace(/…$/, "");
  const [key, ...more] = keys.filter(({ id, prefix }) => id === wanted || wanted.startsWith(prefix));
  if (!key || more.length > 0)
    throw new CommandError(`No API key ${given}; "parley keys" lists them with their ids`);
  await client.revokeKey(key.id, of);
  tell(`Revoked ${key.prefix}… (${key.name})`);
}

/** Creates a key and prints it: on the server with a key or its data folder, or in the data where no server runs. */
export async function createKey(name: string, options: CreateKeyOptions): Promise<void> {
  const { serviceAccount, user: owner = serviceAccount, workspace, role, expires } = options;
  const expiresAt = expires && new Date(Date.now() + expires * DAY_MS).toISOString();
  const key: NewKey = { name, role, ...defined({ owner, workspace, expiresAt: expiresAt || undefined }) };
  const isDataNamed = options.data !== undefined || options.database !== undefined;
  const made = isDataNamed ? await createInData(key, options) : await createOnServer(key, options);
  if (options.json) return printJson(made);
  await printText(made.secret);
  const { owner: user, workspace: where, prefix } = made.key;
  tell(
    `Store it now: it is not shown again. It acts for ${user} in ${where} as ${role}; listed as ${prefix}…`,
  );
}

async function createOnServer(key: NewKey, options: CreateKeyOptions): Promise<MadeKey> {
  try {
    return await (await connect(options)).createKey(key);
  } catch (error) {
    // Only the server on this machine uses the data folder here.
    const isOurs = process.env.PARLEY_URL === undefined && options.server === defaultServer();
    const isAway = error instanceof CommandError && error.exitCode === EXIT.unreachable;
    if (isOurs && isAway) return createInData(key, options);
    // The owner of a running server's data folder needs no key to create one.
    const made =
      isOurs && error instanceof KeyRequiredError ? await createByFolderOwner(key, options) : undefined;
    if (made) return made;
    throw error;
  }
}

async function createInData(key: NewKey, options: DataOptions): Promise<MadeKey> {
  const { makeFirstKey } = await import("@parley/server/keys");
  return inDataFolder(options, (place) => makeFirstKey(place, withDefaults(key)));
}

async function createByFolderOwner(key: NewKey, options: DataOptions): Promise<MadeKey | undefined> {
  const { makeKeyByServer } = await import("@parley/server/keys");
  return inDataFolder(options, (place) => makeKeyByServer(place, withDefaults(key)));
}

async function inDataFolder<Made>(
  options: DataOptions,
  make: (place: DataPlace) => Promise<Made>,
): Promise<Made> {
  const { StartError } = await import("@parley/server/data");
  const { dataPlaceOf } = await import("../data-place.ts");
  const place = await dataPlaceOf(options);
  return withUserErrors([StartError], () => make(place));
}

function withDefaults({ name, role = "editor", owner = "local", workspace = "default", expiresAt }: NewKey) {
  return { name, role, owner, workspace, ...defined({ expiresAt }) };
}
