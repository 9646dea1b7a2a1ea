import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openMemoryJournal } from "@parley/journal";
import { describe, expect, it, onTestFinished } from "vitest";
import { agentListener } from "../bindings/agent-listener.ts";
import { agentOperations } from "../bindings/agent-operations.ts";
import { startGrpcServer } from "../bindings/grpc/grpc-server.ts";
import { agentCardJson } from "../cards/published-cards.ts";
import { type ServedCard, servedCard } from "../cards/served-card.ts";
import { A2AClient } from "../client/a2a-client.ts";
import { parseCidrList } from "../egress/ip-address.ts";
import { taskTables } from "../tasks/tables/task-table.ts";
import { TaskEngine } from "../tasks/task-engine.ts";
import { TaskOperations } from "../tasks/task-operations.ts";
import { noTracing, Trace } from "../tracing/trace.ts";
import { tracedExecutor } from "./traced-executor.ts";

const GIVEN = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

describe("a traceparent", () => {
  it("is parsed and formatted as the W3C specifies, and passed on without creating spans", () => {
    const span = Trace.from(GIVEN).begin("work");
    expect([span.traceparent, span.begin("more").traceparent]).toEqual([GIVEN, GIVEN]);
    const later = `cc${GIVEN.slice(2)}-what-will-come`;
    expect(Trace.from(later).traceparent).toBe(GIVEN);
  });

  it.each([
    undefined,
    "",
    "nonsense",
    `ff${GIVEN.slice(2)}`,
    GIVEN.toUpperCase(),
    GIVEN.replace("0af7651916cd43dd8448eb211c80319c", "0".repeat(32)),
    GIVEN.replace("b7ad6b7169203331", "0".repeat(16)),
    `${GIVEN}more`,
    `${GIVEN}, ${GIVEN}`,
  ])("that is invalid, like %j, is ignored", (text) => {
    expect(Trace.from(text).traceparent).toBeUndefined();
  });
});

describe("the caller's trace context", () => {
  it.each(["JSONRPC", "HTTP+JSON", "GRPC"])(
    "reaches the executor over %s, also after an answer to a question",
    async (binding) => {
      const seen: (string | undefined)[] = [];
      const journal = openMemoryJournal({ projections: taskTables });
      const executor = tracedExecutor(
        {
          async execute({ trace, task }) {
            seen.push(trace?.traceparent);
            return (task.history?.length ?? 0) > 1 ? undefined : { state: "input-required" };
          },
        },
        "it",
        noTracing,
      );
      const engine = new TaskEngine({ journal, executor });
      const operations = agentOperations(new TaskOperations(engine, journal), {
        capabilities: { streaming: true },
      });
      const cards = new Map<string, ServedCard>();
      const shared = { operations, ownerOf: () => "local", report: () => {} };
      const server = createServer(agentListener({ ...shared, cards, next: (_, response) => response.end() }));
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const grpc = await startGrpcServer({ ...shared, host: "127.0.0.1", port: 0 });
      onTestFinished(async () => {
        server.close();
        server.closeAllConnections();
        await grpc.stop();
        await engine.idle();
        await journal.close();
      });
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const card = agentCardJson({
        ...{
          name: "it",
          description: "Is traced",
          version: "1",
          skills: [],
          capabilities: { streaming: true },
        },
        ...{ defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"] },
        interfaces: [
          { url: `${url}/`, binding: "JSONRPC", dialects: ["1.0"] },
          { url: `${url}/a2a/rest`, binding: "HTTP+JSON", dialects: ["1.0"] },
          { url: `127.0.0.1:${grpc.port}`, binding: "GRPC", dialects: ["1.0"] },
        ],
      });
      cards.set("/.well-known/agent-card.json", servedCard(card));
      const policy = { allow: parseCidrList("127.0.0.1/32") };
      const client = await A2AClient.connect(url, { policy, accept: (it) => it.binding === binding });
      const message = { messageId: "m", role: "ROLE_USER" as const, parts: [{ text: "hi" }] };
      let taskId = "";
      for await (const { event } of client.stream({ message }, { traceparent: GIVEN }))
        if ("task" in event) taskId = event.task.id;
      // The task is one trace, whichever node continues it.
      await client.send({ message: { ...message, messageId: "n", taskId } });
      await client.send({ message: { ...message, messageId: "o" } }, { traceparent: "nonsense" });
      expect(seen).toEqual([GIVEN, GIVEN, undefined]);
    },
  );
});
