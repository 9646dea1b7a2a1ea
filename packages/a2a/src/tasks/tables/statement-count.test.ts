import { openMemoryJournal, type Projection, type SqlRunner } from "@parley/journal";
import { expect, it, onTestFinished } from "vitest";
import { contextStream } from "../context-memory.ts";
import { contextTable } from "./context-table.ts";
import { taskTable } from "./task-table.ts";

const MANY = 1_000;
const FEW = 10;

function openCounted(projection: Projection) {
  let statements = 0;
  const counted = (runner: SqlRunner): SqlRunner => ({
    dialect: runner.dialect,
    query: (sql, parameters) => {
      statements++;
      return runner.query(sql, parameters);
    },
  });
  const apply: Projection["apply"] = (transaction, commits) =>
    projection.apply(counted(transaction), commits);
  const journal = openMemoryJournal({ projections: [{ ...projection, apply }] });
  onTestFinished(() => journal.close());
  return { journal, statements: () => statements };
}

it("a thousand messages with keys to one task are written with few statements (invariant 6)", async () => {
  const { journal, statements } = openCounted(taskTable);
  const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "Hello" }] };
  const received = Array.from({ length: MANY }, (_, at) => {
    return { received: message, key: { owner: "o", key: `k${at}`, hash: "h" } };
  });
  // The same key twice is the same message.
  await journal.append("task/t", [{ created: {} }, ...received, received[0]]);
  expect(statements()).toBeLessThan(FEW);
  const [row] = await journal.database.query("SELECT count(*) AS keys, min(idx) AS first FROM request_keys");
  expect({ ...row }).toEqual({ keys: MANY, first: 2 });
});

it("a commit to a thousand contexts costs few statements (invariant 6)", async () => {
  const { journal, statements } = openCounted(contextTable);
  const streams = Array.from({ length: MANY }, (_, at) => contextStream("o", `c${at}`));
  await journal.appendAll(streams.map((stream) => ({ stream, events: [{}] })));
  expect(statements()).toBeLessThan(FEW);
  const [row] = await journal.database.query("SELECT count(*) AS contexts FROM contexts");
  expect({ ...row }).toEqual({ contexts: MANY });
});
