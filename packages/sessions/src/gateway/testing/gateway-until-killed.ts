// A gateway with a journal on disk, in one of its lives: it goes on with the runs of earlier lives, begins those that
// it is told of, and prints each event that a follower of a session sees.
import { setTimeout as sleep } from "node:timers/promises";
import { openSqliteJournal } from "@parley/journal";
import { openPostgresJournal } from "@parley/journal/postgres";
import type { SessionEvent } from "../../domain/session-event.ts";
import { sessionStream } from "../../session-streams.ts";
import { RunRunner } from "../run-runner.ts";
import { DirectAgents } from "./direct-agents.ts";
import { JournalSessions } from "./journal-sessions.ts";

interface Life {
  /** Of a SQLite journal, or the URL of a Postgres one. */
  readonly folder: string;
  readonly postgres?: string;
  /** Of the agent. */
  readonly url: string;
  /** Sessions to begin with a run each. */
  readonly begin: readonly string[];
  /** All sessions, each followed from the start. */
  readonly sessions: readonly string[];
  /** Cancels the run of this session when it has said something, and dies before anybody hears of it. */
  readonly cancel?: string;
}

const life = JSON.parse(process.argv[2] ?? "{}") as Life;
const { folder, postgres, url, begin, sessions: ids, cancel } = life;
const print = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
const journal = await (postgres ? openPostgresJournal({ url: postgres }) : openSqliteJournal({ folder }));
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
if (cancel !== undefined) {
  const { runs } = await sessions.until(cancel, (state) =>
    [...state.runs.values()].some(({ texts }) => texts.size > 0),
  );
  const [runId = ""] = runs.keys();
  await sessions.session(cancel).carryOut({ type: "cancelRun", runId });
  process.kill(process.pid, "SIGKILL");
}
// On Postgres the leases of the life before have to expire first.
do {
  await sleep(50);
  await runner.idle();
} while ((await sessions.open()).length > 0);
print({ idle: performance.now() - began });
