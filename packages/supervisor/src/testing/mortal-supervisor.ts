// A supervisor with a journal on disk, in one of its lives, which begins when it is told so.
import { once } from "node:events";
import { flushCompileCache } from "node:module";
import { taskTables } from "@parley/a2a";
import { openSqliteJournal } from "@parley/journal";
import { AgentRegistry, ListedAgents } from "@parley/registry";
import { registryDirectory } from "../supervisor.ts";
import { SupervisorExecutor } from "../supervisor-executor.ts";
import { AnsweringModel } from "./answering-model.ts";
import { ServedAgent } from "./served-agent.ts";

/** What such a supervisor is, in all its lives. */
export interface MortalSupervisor {
  readonly folder: string;
  readonly port: number;
  readonly paceMs: number;
  readonly agents: readonly { readonly name: string; readonly url: string }[];
}

const { folder, port, paceMs, agents } = JSON.parse(process.argv[2] ?? "{}") as MortalSupervisor;
flushCompileCache();
process.stdout.write("ready\n");
await once(process.stdin, "data");
const journal = await openSqliteJournal({ projections: taskTables, folder });
// Without names, as most are listed: these come with the cards.
const listed = new ListedAgents(agents.map(({ url }) => ({ url, vouched: true })));
const registry = new AgentRegistry({ sources: [listed], policy: {} });
await registry.start();
const executor = new SupervisorExecutor(() => ({
  self: { name: "supervisor", url: `http://127.0.0.1:${port}` },
  model: new AnsweringModel(paceMs),
  instructions: "",
  directory: registryDirectory(registry),
}));
const { url } = await ServedAgent.start({ name: "supervisor", executor, journal, port });
process.stdout.write(`${url}\n`);
