import { createHash } from "node:crypto";
import { TaskEngine, taskTables } from "@parley/a2a";
import { type Journal, openMemoryJournal } from "@parley/journal";
import { expect, onTestFinished, test } from "vitest";
import { delegatedContext } from "../supervisor-executor.ts";

const KEY = Buffer.alloc(32, 1);
const contextId = "the-same";

function memory(): Journal {
  const journal = openMemoryJournal({ projections: taskTables });
  onTestFinished(() => journal.close());
  return journal;
}

/** Executes a task of this owner's, and returns the context under which its work would be handed down. */
async function named(journal: Journal, owner: string, key: Uint8Array = KEY): Promise<string> {
  let name = "";
  const execute = async (context: Parameters<typeof delegatedContext>[0]) => {
    name = await delegatedContext(context, key);
    return undefined;
  };
  const engine = new TaskEngine({ journal, executor: { execute } });
  const message = { messageId: "m", role: "ROLE_USER" as const, parts: [{ text: "Hi" }], contextId };
  await engine.accept({ message }, { owner, dialect: "1.0" });
  await engine.idle();
  return name;
}

test("contexts of two callers are two for the agents below, though they have one name; the local user's keep theirs", async () => {
  const journal = memory();
  const [ann, bob] = [
    await named(journal, "supervisor/home/ann"),
    await named(journal, "supervisor/home/bob"),
  ];
  expect(ann).not.toBe(bob);
  expect(await named(journal, "supervisor/home/ann")).toBe(ann);
  expect(await named(journal, "supervisor/local")).toBe(contextId);
  // Somebody who calls themselves so is not the local user.
  expect(await named(journal, "supervisor/home/local")).not.toBe(contextId);
});

test("a context that is handed down cannot be computed without the key, and one from before keeps its name", async () => {
  const owner = "supervisor/home/ann";
  const computed = createHash("sha256")
    .update(JSON.stringify([owner, contextId]))
    .digest("base64url");
  expect(await named(memory(), owner)).not.toBe(computed);
  expect(await named(memory(), owner, Buffer.alloc(32, 2))).not.toBe(await named(memory(), owner));
  const old = memory();
  const digest = createHash("sha256").update(`${owner}\0${contextId}`).digest("base64url");
  await old.append(`context/${digest}`, [{ began: { taskId: "earlier" } }]);
  expect(await named(old, owner)).toBe(computed);
});
