import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Journal, openMemoryJournal, StorageUnavailableError } from "@parley/journal";
import { expect, it, onTestFinished } from "vitest";
import { taskTables } from "../tasks/tables/task-table.ts";
import { TaskEngine } from "../tasks/task-engine.ts";
import { TaskOperations } from "../tasks/task-operations.ts";
import { agentListener } from "./agent-listener.ts";
import { agentOperations } from "./agent-operations.ts";

/** The journal, with a storage that is unreadable while `isAway` is true. */
function unread(journal: Journal, isAway: () => boolean): Journal {
  return new Proxy(journal, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      if (name !== "follow") return member.bind(target);
      return async function* (...args: Parameters<Journal["follow"]>) {
        if (isAway()) throw new StorageUnavailableError("the test", undefined);
        yield* target.follow(...args);
      };
    },
  });
}

it("a stream whose storage becomes unavailable is cut, not ended by an error: a retry under its key continues the task (invariants 4 and 7)", async () => {
  const journal = openMemoryJournal({ projections: taskTables });
  let isAway = true;
  let executions = 0;
  const engine = new TaskEngine({
    journal,
    executor: {
      async execute(context) {
        executions++;
        await context.artifact({ artifactId: "a" }).close([{ text: "All of it" }]);
        return { state: "completed" };
      },
    },
  });
  const reported: unknown[] = [];
  const operations = agentOperations(
    new TaskOperations(
      engine,
      unread(journal, () => isAway),
    ),
  );
  const server = createServer(
    agentListener({
      ...{ operations, cards: new Map(), report: (error) => void reported.push(error) },
      ownerOf: () => ({ owner: "ann" }),
      next: (_, response) => void response.end(),
    }),
  );
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await engine.suspend();
    await journal.close();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const ask = () =>
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/a2a/rest/message:stream`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "A2A-Version": "1.0", "Idempotency-Key": "k1" },
      body: JSON.stringify({ message: { messageId: "m1", role: "ROLE_USER", parts: [{ text: "Go" }] } }),
    });
  const first = await ask();
  expect(first.status).toBe(200);
  await expect(first.text()).rejects.toThrow();
  expect(reported).toEqual([expect.any(StorageUnavailableError)]);
  isAway = false;
  const again = await (await ask()).text();
  expect(again).toContain("All of it");
  expect(again).not.toContain("error");
  expect(executions).toBe(1);
});
