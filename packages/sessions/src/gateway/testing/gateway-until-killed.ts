// A gateway with a journal on disk, in one of its lives: it goes on with the runs of earlier lives, begins those that
// it is told of, and prints each event that a follower of a session sees.
import { openSqliteJournal } from "@parley/journal";
import type { SessionEvent } from "../../domain/session-event.ts";
import { sessionStream } from "../../session-streams.ts";
import { RunRunner } from "../run-runner.ts";
import { DirectAgents } from "./direct-agents.ts";
import { JournalSessions } from "./journal-sessions.ts";

interface Life {
  readonly folder: string;
  readonly url: string;
  /** Sessions to begin with a run each. */
  readonly begin: readonly string[];
  /** All sessions, each followed from the start. */
  readonly sessions: readonly string[];
}

const { folder, url, begin, sessions: ids } = JSON.parse(process.argv[2] ?? "{}") as Life;
const print = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
const journal = await openSqliteJournal({ folder });
const sessions = new JournalSessions(journal);
const runner = new RunRunner({
  ...{ journal, queue: sessions, agents: new DirectAgents(), sweepMs: 200 },
  session: (id) => sessions.session(id),
});
for (const id of begin) await sessions.ask(id, `Talk to ${id}`, { name: "agent", url });

async function follow(id: string): Promise<void> {
  for await (const batch of journal.follow<SessionEvent>(sessionStream(id), 0))
    for (const { index, json } of batch) print({ id, index, json });
}

for (const id of ids) void follow(id);
const began = performance.now();
await runner.start();
await runner.idle();
print({ idle: performance.now() - began });
