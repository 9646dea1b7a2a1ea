import type { NewKey } from "@parley/client";
import { StartError } from "@parley/server/data";
import type { MadeKey } from "@parley/server/keys";
import { CommandError, EXIT } from "../../command-error.ts";
import { connected, NobodyKnownError, type ServerOptions, usualServer } from "../../server-address.ts";
import { printJson, printText, tell } from "../../terminal/print.ts";
import { type DataOptions, givenPlace } from "../data-place.ts";

const DAY_MS = 86_400_000;

export interface CreateKeyOptions extends ServerOptions, DataOptions {
  readonly user?: string;
  readonly serviceAccount?: string;
  readonly workspace?: string;
  readonly role: NonNullable<NewKey["role"]>;
  readonly expires?: string;
  readonly json?: boolean;
}

/** Makes a key and prints it: by the server, for who has a key or owns its data folder; or in the data, where no server answers. */
export async function createKey(name: string, options: CreateKeyOptions): Promise<void> {
  const { serviceAccount, user = serviceAccount, workspace, role, expires, json } = options;
  const key: NewKey = {
    name,
    role,
    ...(user && { owner: user }),
    ...(workspace && { workspace }),
    ...(expires && { expiresAt: expiry(expires) }),
  };
  const isNamed = options.data !== undefined || options.database !== undefined;
  const made = isNamed ? await inData(key, options) : await byServer(key, options);
  if (json) return printJson(made);
  await printText(made.secret);
  const { owner, workspace: where, prefix } = made.key;
  tell(
    `Keep it: it is shown this once. It speaks for ${owner} in ${where} as ${role}; it is listed as ${prefix}…`,
  );
}

async function byServer(key: NewKey, options: CreateKeyOptions): Promise<MadeKey> {
  try {
    return await (await connected(options)).createKey(key);
  } catch (error) {
    // Another machine's is not to be mistaken for this one's, whose data is here.
    const isOurs = process.env.PARLEY_URL === undefined && options.server === usualServer();
    const isAway = error instanceof CommandError && error.exitCode === EXIT.unreachable;
    if (isOurs && isAway) return inData(key, options);
    // Who owns the data of a server that runs needs no key to make one.
    const made = isOurs && error instanceof NobodyKnownError ? await byFolder(key, options) : undefined;
    if (made) return made;
    throw error;
  }
}

async function inData(key: NewKey, options: DataOptions): Promise<MadeKey> {
  const { makeFirstKey } = await import("@parley/server/keys");
  return explained(async () => makeFirstKey(await givenPlace(options), whole(key)));
}

async function byFolder(key: NewKey, options: DataOptions): Promise<MadeKey | undefined> {
  const { makeKeyByServer } = await import("@parley/server/keys");
  return explained(async () => makeKeyByServer(await givenPlace(options), whole(key)));
}

function whole({ name, role = "editor", owner = "local", workspace = "default", expiresAt }: NewKey) {
  return { name, role, owner, workspace, ...(expiresAt !== undefined && { expiresAt }) };
}

async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StartError) throw new CommandError(error.message);
    throw error;
  }
}

function expiry(days: string): string {
  const count = Number(days);
  if (!/^\d{1,5}$/.test(days) || count === 0)
    throw new CommandError(`--expires must be a number of days, not ${days}`, EXIT.usage);
  return new Date(Date.now() + count * DAY_MS).toISOString();
}
