import {
  FolderProof,
  type KeyDescription,
  type KeyRequest,
  KeyStore,
  LOCAL_USER,
  PROOF_HEADER,
} from "@parley/identity";
import { JournalError } from "@parley/journal";
import { pino } from "pino";
import { z } from "zod";
import { keySchema } from "../api/schemas/access-schemas.ts";
import type { DataPlace } from "../data-place.ts";
import { journalTables } from "../journal-tables.ts";
import { openJournal } from "../open-journal.ts";
import { StartError } from "../start-error.ts";

const TIMEOUT_MS = 10_000;
const madeSchema = z.object({ key: keySchema, secret: z.string() });

/** A new key and its secret, which is shown only once. */
export interface MadeKey {
  readonly key: KeyDescription;
  readonly secret: string;
}

/** Creates a key in a data folder, whether or not a server is running on it; throws a `StartError`. */
export async function makeFirstKey(place: DataPlace, request: KeyRequest): Promise<MadeKey> {
  return (await makeKeyByServer(place, request)) ?? createKeyInFolder(place, request);
}

/** Lets the running server create the key, authenticated by the folder proof; undefined where no server of this folder runs. */
export async function makeKeyByServer(
  { dataFolder, databaseUrl }: DataPlace,
  request: KeyRequest,
): Promise<MadeKey | undefined> {
  // A Postgres journal can be opened beside its servers.
  const found = databaseUrl ? undefined : await FolderProof.read(dataFolder);
  if (!found) return undefined;
  const answer = await fetch(`${found.url}/api/v1/keys`, {
    method: "POST",
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: { "Content-Type": "application/json", [PROOF_HEADER]: found.proof },
    body: JSON.stringify(request),
  }).catch(() => undefined);
  // The server was killed, or another program has its port now.
  if (!answer || answer.status === 401) return undefined;
  const body: unknown = await answer.json().catch(() => undefined);
  const { detail } = z.object({ detail: z.string() }).catch({ detail: "" }).parse(body);
  if (answer.status !== 201)
    throw new StartError(detail || `The server at ${found.url} responded with ${answer.status}`);
  return madeSchema.parse(body);
}

async function createKeyInFolder(place: DataPlace, request: KeyRequest): Promise<MadeKey> {
  const journal = await openJournal(place, journalTables()).catch((error: unknown) => {
    throw error instanceof JournalError ? new StartError(error.message) : error;
  });
  try {
    const keys = await KeyStore.open(journal, pino({ level: "silent" }));
    const made = await keys.create(request, { ...LOCAL_USER, name: "command line" });
    await keys.close();
    return made;
  } finally {
    await journal.close();
  }
}
