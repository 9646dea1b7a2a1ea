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

const PATIENCE_MS = 10_000;
const madeSchema = z.object({ key: keySchema, secret: z.string() });

/** A key, and what to send with requests, which is told once. */
export interface MadeKey {
  readonly key: KeyDescription;
  readonly secret: string;
}

/** Makes a key where the data is, whether a server runs on it or not: so there can be a first one. Throws a `StartError` where it cannot. */
export async function makeFirstKey(place: DataPlace, request: KeyRequest): Promise<MadeKey> {
  return (await makeKeyByServer(place, request)) ?? makeKeyInData(place, request);
}

/** Has the server make it that runs on a data folder, by showing that one owns that; undefined: there is none that knows us. */
export async function makeKeyByServer(
  { dataFolder, databaseUrl }: DataPlace,
  request: KeyRequest,
): Promise<MadeKey | undefined> {
  // A database may be opened beside its servers.
  const found = databaseUrl ? undefined : await FolderProof.read(dataFolder);
  if (!found) return undefined;
  const answer = await fetch(`${found.url}/api/v1/keys`, {
    ...{ method: "POST", redirect: "error", signal: AbortSignal.timeout(PATIENCE_MS) },
    headers: { "Content-Type": "application/json", [PROOF_HEADER]: found.proof },
    body: JSON.stringify(request),
  }).catch(() => undefined);
  // It was killed, or another has its port by now.
  if (!answer || answer.status === 401) return undefined;
  const body: unknown = await answer.json().catch(() => undefined);
  const { detail } = z.object({ detail: z.string() }).catch({ detail: "" }).parse(body);
  if (answer.status !== 201)
    throw new StartError(detail || `The server at ${found.url} answered ${answer.status}`);
  return madeSchema.parse(body);
}

async function makeKeyInData(place: DataPlace, request: KeyRequest): Promise<MadeKey> {
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
