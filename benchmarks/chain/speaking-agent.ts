// An agent that streams the requested number of tokens at the requested pace, or as fast as they are read: our runtime on
// SQLite without a model, whose provider would be the bottleneck. Its one argument is the folder of its journal.
import { setTimeout as pause } from "node:timers/promises";
import {
  agentCardJson,
  agentListener,
  agentOperations,
  type Executor,
  runExtension,
  servedCard,
  TaskEngine,
  TaskOperations,
  taskTables,
  textOf,
} from "@parley/a2a";
import { openSqliteJournal } from "@parley/journal";
import { guardedServer, listen } from "@parley/server";
import { AGENT, tokenText } from "./wording.ts";

const executor: Executor = {
  async execute(context) {
    const text = textOf(context.message);
    const number = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0);
    const [count, rate] = [number(/say (\d+)/), number(/(?<!\d)(\d+) a second/)];
    const answer = context.artifact({ name: "current_result" });
    const began = performance.now();
    for (let n = 0; n < count; n++) {
      const early = began + (n * 1_000) / rate - performance.now();
      if (rate && early > 0) await pause(early);
      await answer.text(tokenText(n));
    }
    await answer.close();
    return undefined;
  },
};

const journal = await openSqliteJournal({ folder: process.argv[2] ?? "", projections: taskTables });
const engine = new TaskEngine({ journal, executor, agent: AGENT });
const capabilities = { streaming: true, pushNotifications: false, extensions: [runExtension] };
const cards = new Map();
const server = guardedServer(
  agentListener({
    operations: agentOperations(new TaskOperations(engine, journal), { capabilities }),
    cards,
    ownerOf: () => "local",
    report: (error) => console.error(error),
    next: (_, response) => response.writeHead(404).end(),
  }),
);
const url = `http://localhost:${await listen(server, { host: "127.0.0.1", port: 0 })}`;
const card = agentCardJson({
  ...{ name: AGENT, description: "Says what it is told to.", version: "1", capabilities },
  interfaces: [{ url: `${url}/`, binding: "JSONRPC", dialects: ["1.0"] }],
  ...{ defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"] },
  skills: [{ id: "say", name: "Say", description: "Says tokens", tags: ["say"] }],
});
cards.set("/.well-known/agent-card.json", servedCard(card));
console.log(url);
process.on("SIGTERM", () => process.exit(0));
