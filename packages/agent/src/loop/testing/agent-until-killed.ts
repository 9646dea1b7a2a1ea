// An agent with a journal on disk, in one of its lives. When it is told so, it goes on with the tasks of earlier lives
// and begins the one that it is told of.
import { once } from "node:events";
import { flushCompileCache } from "node:module";
import { silentObserver, TaskEngine, TaskUpkeep, taskTables } from "@parley/a2a";
import { openSqliteJournal } from "@parley/journal";
import { openModel } from "@parley/models";
import { compatibleWire } from "@parley/models/testing/compatible-wire.ts";
import type { AgentDefinition } from "../../files/agent-definition.ts";
import { McpServers } from "../../mcp/mcp-servers.ts";
import { AgentExecutor } from "../agent-executor.ts";
import { McpToolBox } from "../mcp-tool-box.ts";

interface Life {
  readonly folder: string;
  readonly log: string;
  readonly number: number;
  readonly modelUrl: string;
}

const { folder, log, number, modelUrl } = JSON.parse(process.argv[2] ?? "{}") as Life;
const print = (line: string) => process.stdout.write(`${line}\n`);
const program = new URL("trip-tools.ts", import.meta.url).pathname;
const { NODE_COMPILE_CACHE = "" } = process.env;
const stdio = { transport: "stdio", command: "node", env: { NODE_COMPILE_CACHE }, cwd: folder } as const;
const servers = new McpServers({ trips: { ...stdio, args: [program, log, String(number)] } }, { fetch });
await servers.start();

const definition: AgentDefinition = {
  file: "trips.md",
  name: "trips",
  description: "Books trips.",
  version: "1.0.0",
  skills: [],
  outputModes: [],
  mcpServers: {},
  approval: { default: "always", tools: [] },
  limits: {},
  thinking: false,
  tokens: "artifact",
  instructions: "Book trips.",
};
const model = openModel(compatibleWire.name, { environment: compatibleWire.environment(modelUrl, "key") });
const toolBox = new McpToolBox(servers, definition.approval);
// Otherwise it is written at an end that this process never sees.
flushCompileCache();
print("ready");

const [told] = await once(process.stdin, "data");
const trip = String(told).trim();
const journal = await openSqliteJournal({ projections: taskTables, folder });
const engine = new TaskEngine({
  journal,
  executor: new AgentExecutor(() => ({ definition, model, toolBox })),
});
await new TaskUpkeep(engine, journal, silentObserver).start();
if (trip !== "") {
  const message = { messageId: trip, role: "ROLE_USER", parts: [{ text: trip }] } as const;
  const accepted = await engine.accept({ message }, { owner: "ann", dialect: "1.0" });
  print("taskId" in accepted ? accepted.taskId : "");
}
await engine.idle();
print("idle");
