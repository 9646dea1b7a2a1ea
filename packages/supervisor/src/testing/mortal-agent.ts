// An agent with a journal on disk, in one of its lives, which begins when it is told so.
import { once } from "node:events";
import { flushCompileCache } from "node:module";
import { taskTables } from "@parley/a2a";
import { openSqliteJournal } from "@parley/journal";
import { ServedAgent } from "./served-agent.ts";
import { type Manner, SpeakingExecutor } from "./speaking-executor.ts";

/** What such an agent is, in all its lives. */
export interface MortalAgent {
  readonly name: string;
  readonly folder: string;
  readonly port: number;
  readonly manner: Manner;
  readonly paceMs: number;
  readonly speaksExtension: boolean;
}

const self = JSON.parse(process.argv[2] ?? "{}") as MortalAgent;
const { name, folder, manner, paceMs } = self;
// Otherwise it is written at an end that this process never sees.
flushCompileCache();
process.stdout.write("ready\n");
await once(process.stdin, "data");
const journal = await openSqliteJournal({ projections: taskTables, folder });
const executor = new SpeakingExecutor(name, manner, paceMs);
const { url } = await ServedAgent.start({ ...self, executor, journal });
process.stdout.write(`${url}\n`);
