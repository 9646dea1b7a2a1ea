// An agent in TypeScript: all A2A versions over JSON-RPC and REST, streaming, and tasks that survive their connections.
// PORT=9000 node examples/greeter-agent.ts, and then { "agents": { "greeter": { "url": "http://localhost:9000" } } } in
// agents/agents.json
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type AgentDescription,
  agentCardJson,
  agentJson,
  agentListener,
  agentOperations,
  type Executor,
  servedCard,
  TaskEngine,
  TaskOperations,
  taskTables,
  textOf,
} from "@parley/a2a";
import { openMemoryJournal } from "@parley/journal";

/** Streams a greeting word by word. */
const greeter: Executor = {
  async execute(context) {
    const [, name = "stranger"] = /greet (\w+)/i.exec(textOf(context.message)) ?? [];
    const greeting = context.artifact({ name: "greeting" });
    for (const word of ["Good", " day,", ` ${name}!`]) await greeting.text(word);
    await greeting.close();
    return undefined;
  },
};

const journal = openMemoryJournal({ projections: taskTables });
const tasks = new TaskOperations(new TaskEngine({ journal, executor: greeter }), journal);
const cards = new Map<string, ReturnType<typeof servedCard>>();
const server = createServer(
  agentListener({
    operations: agentOperations(tasks),
    cards,
    ownerOf: () => "everybody",
    report: (error) => process.stderr.write(`${error}\n`),
    next: (_request, response) => void response.writeHead(404).end(),
  }),
);
server.listen(Number(process.env.PORT ?? 0), "127.0.0.1");
await once(server, "listening");
const url = `http://localhost:${(server.address() as AddressInfo).port}`;

const description: AgentDescription = {
  name: "greeter",
  description: "Greets people by their names.",
  version: "1.0.0",
  interfaces: [{ url, binding: "JSONRPC", dialects: ["1.0", "0.3", "0.1"] }],
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "greet", name: "Greet", description: "Greets somebody.", tags: ["greet", "greeting"] }],
};
cards.set("/.well-known/agent-card.json", servedCard(agentCardJson(description)));
const olderCard = agentJson(description);
if (olderCard) cards.set("/.well-known/agent.json", servedCard(olderCard));
process.stdout.write(`${url}\n`);
