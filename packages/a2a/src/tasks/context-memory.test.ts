import { openMemoryJournal } from "@parley/journal";
import { expect, it, onTestFinished } from "vitest";
import { textOf } from "../protocol/model.ts";
import { ScriptedExecutor } from "../testing/scripted-executor.ts";
import type { Caller } from "./caller.ts";
import type { TaskRequest } from "./intake/task-intake.ts";
import { taskTables } from "./tables/task-table.ts";
import { TaskEngine } from "./task-engine.ts";

const alice: Caller = { owner: "alice", dialect: "1.0" };
const bob: Caller = { owner: "bob", dialect: "0.1" };

function agent() {
  const journal = openMemoryJournal({ projections: taskTables });
  onTestFinished(() => journal.close());
  const executor = new ScriptedExecutor();
  const engine = new TaskEngine({ journal, executor });
  const ask = async (text: string, caller = alice, more: Partial<TaskRequest> = {}) => {
    const message = { messageId: "m", role: "ROLE_USER" as const, parts: [{ text }], contextId: "ctx" };
    const accepted = await engine.accept({ message, ...more }, caller);
    if (!("taskId" in accepted)) throw new Error("answered without a task");
    const { status } = await engine.settled(accepted.taskId, accepted.from);
    return status.message && textOf(status.message);
  };
  executor
    .on("add", async ({ message, memory }) => {
      const { sum = 0 } = await memory.variables();
      const next = Number(sum) + Number(textOf(message).split(" ")[1]);
      await memory.set({ sum: next });
      return { state: "completed", message: String(next) };
    })
    .on("write", async (context) => {
      await context.artifact().close([{ text: "an answer in an artifact" }]);
      return undefined;
    })
    .on("forget", async ({ memory }) => {
      await memory.set({ sum: null });
      return undefined;
    })
    .on("variables", async ({ memory }) => ({
      state: "completed",
      message: JSON.stringify(await memory.variables()),
    }))
    .on("metadata", async ({ memory }) => ({
      state: "completed",
      message: JSON.stringify(await memory.metadata()),
    }))
    .on("recall", async ({ message, memory }) => {
      const [, limit] = textOf(message).split(" ");
      const history = await memory.history(limit === undefined ? undefined : Number(limit));
      const lines = history.map((said) => `${said.role === "ROLE_USER" ? "user" : "agent"}: ${textOf(said)}`);
      return { state: "completed", message: lines.join("\n") };
    });
  return ask;
}

it("a context keeps variables from one task to the next (S1.19)", async () => {
  const ask = agent();
  expect(await ask("add 4")).toBe("4");
  expect(await ask("add 6")).toBe("10");
  await ask("forget");
  expect(await ask("variables")).toBe("{}");
});

it("a context's history has the questions and answers of earlier tasks in order (S1.19)", async () => {
  const ask = agent();
  await ask("add 4");
  await ask("write");
  expect(await ask("recall")).toBe("user: add 4\nagent: 4\nuser: write\nagent: an answer in an artifact");
  expect(await ask("recall 1")).toMatch(/^agent: user: add 4/);
  expect(await ask("recall 0")).toBe("");
});

it("a context keeps the request metadata, the newest value of each name (S1.19)", async () => {
  const ask = agent();
  await ask("add 1", alice, { metadata: { language: "de", tone: "dry" } });
  await ask("add 1", alice, { metadata: { language: "en" } });
  expect(JSON.parse((await ask("metadata")) ?? "")).toEqual({ language: "en", tone: "dry" });
});

it("the contexts of two owners are separate, even under the same id (invariant 20)", async () => {
  const ask = agent();
  await ask("add 4");
  expect(await ask("recall", bob)).toBe("");
  expect(await ask("variables", bob)).toBe("{}");
});
