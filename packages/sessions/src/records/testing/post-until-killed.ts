// Posts messages as fast as it can, and prints each before it is sent and once more when it is acknowledged.
import { writeSync } from "node:fs";
import { openSqliteJournal } from "@parley/journal";
import { openPostgresJournal } from "@parley/journal/postgres";
import { Sessions } from "../../sessions.ts";
import { sessionTables } from "../tables/session-tables.ts";

/** Where it works, and whose messages are whose. */
export interface KilledTask {
  readonly where: { readonly folder: string } | { readonly url: string };
  readonly name: string;
  readonly sessionIds: readonly string[];
}

const { where, name, sessionIds }: KilledTask = JSON.parse(process.argv[2] ?? "{}");
const projections = sessionTables;
const journal = await ("folder" in where
  ? openSqliteJournal({ ...where, projections })
  : openPostgresJournal({ ...where, projections }));
const sessions = new Sessions(journal);
const principal = { owner: "ann", workspace: "w" };
const tell = (what: string, sessionId: string, id: string) => writeSync(1, `${what} ${sessionId} ${id}\n`);

async function keepPosting(sessionId: string): Promise<void> {
  for (let number = 0; ; number++) {
    const id = `${name}-${sessionId}-${number}`;
    const run = { runId: id, agent: "a", agentUrl: "http://a", contextId: id };
    tell("sent", sessionId, id);
    const command = { type: "postMessage", messageId: id, content: id, run } as const;
    await sessions.execute(principal, sessionId, command, { key: id });
    tell("acknowledged", sessionId, id);
  }
}

await Promise.all(sessionIds.map(keepPosting));
