import { randomBytes } from "node:crypto";
import {
  A2AClient,
  agentCardJson,
  agentListener,
  agentOperations,
  ConfigSeal,
  type EgressPolicy,
  type Executor,
  PushConfigs,
  PushDelivery,
  parseCidrList,
  pushTable,
  type ServedCard,
  servedCard,
  signingSecret,
  silentPushObserver,
  startGrpcServer,
  TaskEngine,
  TaskOperations,
  taskTables,
} from "@parley/a2a";
import { openMemoryJournal } from "@parley/journal";
import { onTestFinished } from "vitest";
import { nothingHere } from "../http/answer-parts.ts";
import { guardedServer } from "../http/guarded-server.ts";
import { closeServer, listen } from "../http/listen.ts";

/** Asks, and is done when it is answered. */
const executor: Executor = {
  execute: async ({ task }) => ((task.history?.length ?? 0) > 1 ? undefined : { state: "input-required" }),
};

/** For tests: an agent with webhooks at every binding that there is, which may reach what the policy allows. */
export interface GuardedAgent {
  client(binding: string): Promise<A2AClient>;
  /** How often a webhook was given up. */
  givenUp(): number;
}

/** Runs until the test ends. */
export async function startGuardedAgent(egress: EgressPolicy): Promise<GuardedAgent> {
  const table = pushTable();
  const journal = openMemoryJournal({ projections: [...taskTables, table] });
  const seal = new ConfigSeal(randomBytes(32));
  const push = new PushConfigs({ journal, seal, egress });
  let dead = 0;
  const delivery = new PushDelivery({
    ...{
      journal,
      table,
      seal,
      egress,
      signingSecrets: [signingSecret(randomBytes(32))],
      retries: { tries: 1 },
    },
    observer: { ...silentPushObserver, dead: () => void dead++ },
  });
  await delivery.start();
  const capabilities = { streaming: true, pushNotifications: true };
  const engine = new TaskEngine({ journal, executor, push });
  const operations = agentOperations(new TaskOperations(engine, journal), { capabilities, push });
  const cards = new Map<string, ServedCard>();
  const shared = { operations, ownerOf: () => "local", report: () => {} };
  const server = guardedServer(agentListener({ ...shared, cards, next: nothingHere }));
  const url = `http://127.0.0.1:${await listen(server, { host: "127.0.0.1", port: 0 })}`;
  const grpc = await startGrpcServer({ ...shared, host: "127.0.0.1", port: 0 });
  const card = agentCardJson({
    ...{ name: "guarded", description: "Has webhooks", version: "1.0.0", capabilities, skills: [] },
    ...{ defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"] },
    interfaces: [
      { url: `${url}/a2a/jsonrpc`, binding: "JSONRPC", dialects: ["1.0"] },
      { url: `${url}/a2a/rest`, binding: "HTTP+JSON", dialects: ["1.0"] },
      { url: `127.0.0.1:${grpc.port}`, binding: "GRPC", dialects: ["1.0"] },
    ],
  });
  cards.set("/.well-known/agent-card.json", servedCard(card));
  onTestFinished(async () => {
    await grpc.stop();
    await closeServer(server);
    await engine.idle();
    await delivery.stop();
    await journal.close();
  });
  return {
    client: (binding) =>
      A2AClient.connect(url, {
        policy: { allow: parseCidrList("127.0.0.1/32") },
        accept: (endpoint) => endpoint.binding === binding,
      }),
    givenUp: () => dead,
  };
}
