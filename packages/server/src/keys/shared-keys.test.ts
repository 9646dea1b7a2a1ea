import { join } from "node:path";
import { type Journal, loadOrCreateKey, openMemoryJournal } from "@parley/journal";
import { openPostgresJournal } from "@parley/journal/postgres";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { StartError } from "../start-error.ts";
import { SharedKeys } from "./shared-keys.ts";

const SECRET = "correct horse battery staple";

async function keysOf(journal: Journal, secret?: string, dataFolder?: string): Promise<SharedKeys> {
  return SharedKeys.open(journal, { secret, dataFolder: dataFolder ?? (await testFolder()) });
}

function memory(): Journal {
  const journal = openMemoryJournal();
  onTestFinished(() => journal.close());
  return journal;
}

/** The journal's content as seen by anyone who can read the database. */
async function kept(journal: Journal): Promise<string> {
  const events = await journal.read("record/keys", 0).catch((error: { first: number }) => {
    return journal.read("record/keys", error.first - 1);
  });
  return JSON.stringify(events.map(({ payload }) => payload));
}

describe("keys shared by nodes", () => {
  it("are the same on every node, also when all request them at once", async () => {
    const { url, drop } = await freshDatabase(inject("postgresUrl"));
    onTestFinished(drop);
    const journals = await Promise.all(Array.from({ length: 3 }, () => openPostgresJournal({ url })));
    const nodes = await Promise.all(journals.map((journal) => keysOf(journal, SECRET)));
    const asked = await Promise.all(nodes.flatMap((node) => [node.of("push"), node.of("agents")]));
    expect(new Set(asked.map((key) => key.toString("hex"))).size).toBe(2);
    expect(asked.map(({ length }) => length)).toEqual([32, 32, 32, 32, 32, 32]);
    await Promise.all(journals.map((journal) => journal.close()));
  });

  it("are encrypted with the secret, which later nodes need", async () => {
    const journal = memory();
    const key = await (await keysOf(journal, SECRET)).of("push");
    expect(await kept(journal)).not.toContain(key.toString("base64"));
    expect(await (await keysOf(journal, SECRET)).of("push")).toEqual(key);
    await expect(keysOf(journal)).rejects.toThrow("start this node with the PARLEY_SECRET of the others");
    await expect(keysOf(journal, "another")).rejects.toThrow(StartError);
    await expect(keysOf(journal, "another")).rejects.toThrow("PARLEY_SECRET does not match");
  });

  it("that were unencrypted are encrypted once a node has a secret, and stay the same", async () => {
    const journal = memory();
    const open = await keysOf(journal);
    const before = [await open.of("push"), await open.of("agents")];
    expect(await kept(journal)).toContain(before[0]?.toString("base64"));
    const sealed = await keysOf(journal, SECRET);
    expect([await sealed.of("push"), await sealed.of("agents")]).toEqual(before);
    for (const key of before) expect(await kept(journal)).not.toContain(key.toString("base64"));
    const again = await keysOf(journal, SECRET);
    expect([await again.of("push"), await again.of("agents")]).toEqual(before);
  });

  it("are taken from the data folder if it already has some", async () => {
    const folder = await testFolder();
    const key = await loadOrCreateKey(join(folder, "push.key"));
    const journal = memory();
    expect(await (await keysOf(journal, undefined, folder)).of("push")).toEqual(key);
    expect(await (await keysOf(journal)).of("push")).toEqual(key);
  });
});
