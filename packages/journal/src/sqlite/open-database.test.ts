import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, it } from "vitest";
import * as errors from "../errors.ts";
import { Child } from "../faults/child.ts";
import type { Projection } from "../projection.ts";
import type { Migration } from "../schema.ts";
import { openSqliteJournal } from "./sqlite-journal.ts";

const script = (sql: string): Migration => ({ sqlite: sql, postgres: sql });

function projection(...migrations: Migration[]): Projection {
  return { name: "notes", migrations, wants: () => true, apply: async () => {}, deleted: async () => {} };
}

const first = script("CREATE TABLE notes (text TEXT)");
const second = script("ALTER TABLE notes ADD COLUMN author TEXT");
const broken = script("INSERT INTO notes VALUES ('half'); SELECT * FROM nowhere");

async function folderWithJournal(...migrations: Migration[]): Promise<string> {
  const folder = await testFolder();
  const journal = await openSqliteJournal({ folder, projections: [projection(...migrations)] });
  await journal.append("a", ["kept"]);
  await journal.database.transaction((transaction) =>
    transaction.query("INSERT INTO notes (text) VALUES ('kept')"),
  );
  await journal.close();
  return folder;
}

describe("opening a data folder", () => {
  it("runs new migrations after a backup and loses nothing", async () => {
    const folder = await folderWithJournal(first);
    const journal = await openSqliteJournal({ folder, projections: [projection(first, second)] });
    expect(await journal.database.query("SELECT * FROM notes")).toEqual([{ text: "kept", author: null }]);
    expect((await journal.read("a", 0)).map(({ payload }) => payload)).toEqual(["kept"]);
    await journal.close();
    const [backup = "", ...more] = readdirSync(join(folder, "backups"));
    expect(more).toEqual([]);
    const old = new DatabaseSync(join(folder, "backups", backup));
    expect(old.prepare("SELECT * FROM notes").all()).toEqual([{ text: "kept" }]);
    expect(old.prepare("SELECT body FROM events").all()).toEqual([{ body: '"kept"' }]);
    old.close();
  });

  it("reads and extends a journal of an older version with one row per event", async () => {
    const folder = await testFolder();
    await (await openSqliteJournal({ folder })).close();
    const old = new DatabaseSync(join(folder, "journal.db"));
    old.exec(`
      ALTER TABLE events RENAME COLUMN last TO idx;
      UPDATE schema_versions SET version = 1 WHERE component = 'journal';
      INSERT INTO streams (id, name) VALUES (1, 'a');
      INSERT INTO events (stream, idx, at, body) VALUES (1, 1, 11, '"one"'), (1, 2, 12, '{"n":2}');`);
    old.close();
    const journal = await openSqliteJournal({ folder });
    expect(await journal.append("a", [3, 4])).toBe(4);
    const events = await journal.read("a", 0);
    expect(events.map(({ index, payload }) => [index, payload])).toEqual([
      [1, "one"],
      [2, { n: 2 }],
      [3, 3],
      [4, 4],
    ]);
    expect(events[1]?.at).toBe(12);
    await journal.close();
  });

  it("makes no backup when there is nothing to migrate, and keeps the newest three", async () => {
    const folder = await folderWithJournal(first);
    const migrations = [first];
    for (let n = 0; n < 5; n++) {
      migrations.push(script(`CREATE TABLE more${n} (x)`));
      for (const _ of ["migrates", "finds nothing to do"]) {
        await (await openSqliteJournal({ folder, projections: [projection(...migrations)] })).close();
      }
    }
    expect(readdirSync(join(folder, "backups"))).toHaveLength(3);
  });

  it("starts again after an interrupted first start", async () => {
    const folder = await testFolder({ "journal.db.new": "half a database" });
    await expect(openSqliteJournal({ folder, projections: [projection(broken)] })).rejects.toThrow();
    const journal = await openSqliteJournal({ folder, projections: [projection(first)] });
    expect(await journal.append("a", [1])).toBe(1);
    await journal.close();
  });

  it("refuses a folder that has a log but no database", async () => {
    const folder = await testFolder();
    const owner = new Child("append-one-by-one.ts", { where: { folder } });
    await owner.printed(5);
    await owner.kill();
    rmSync(join(folder, "journal.db"));
    await expect(openSqliteJournal({ folder })).rejects.toBeInstanceOf(errors.NotAJournalError);
  });

  it("keeps the backup it has just made when the clock has gone back", async () => {
    const folder = await folderWithJournal(first);
    for (const year of [2997, 2998, 2999]) {
      mkdirSync(join(folder, "backups"), { recursive: true });
      writeFileSync(join(folder, "backups", `journal-${year}-01-01.db`), "");
    }
    await (await openSqliteJournal({ folder, projections: [projection(first, second)] })).close();
    const kept = readdirSync(join(folder, "backups"));
    expect(kept).toHaveLength(3);
    expect(kept.some((name) => !name.startsWith("journal-29"))).toBe(true);
  });

  it("fences off the first process once another has opened the folder, even if the lock was lost", async () => {
    const folder = await testFolder();
    const journal = await openSqliteJournal({ folder, onFatal: () => {} });
    await journal.append("a", [1]);
    // Closing any handle of the lock file gives the system's lock back: so POSIX has it.
    readFileSync(join(folder, "owner.lock"));
    const intruder = new Child("append-one-by-one.ts", { where: { folder } });
    await intruder.printed(3);
    await expect(journal.append("a", ["ours"])).rejects.toBeInstanceOf(errors.StorageFailedError);
    await intruder.kill();
    await journal.close();
  });

  it("leaves everything as it was when a migration fails", async () => {
    const folder = await folderWithJournal(first);
    await expect(openSqliteJournal({ folder, projections: [projection(first, broken)] })).rejects.toThrow(
      "nowhere",
    );
    const journal = await openSqliteJournal({ folder, projections: [projection(first)] });
    expect(await journal.database.query("SELECT * FROM notes")).toEqual([{ text: "kept" }]);
    await journal.close();
  });

  it.each([
    ["of a newer version", [projection(first)]],
    ["with tables that this Parley does not know", []],
  ])("refuses a database %s, with its path, and leaves it untouched", async (_, projections) => {
    const folder = await folderWithJournal(first, second);
    const path = join(folder, "journal.db");
    const before = readFileSync(path);
    const opening = openSqliteJournal({ folder, projections });
    await expect(opening).rejects.toBeInstanceOf(errors.NewerSchemaError);
    await expect(opening).rejects.toThrow(path);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it.each([
    ["text", Buffer.from("These are my holiday notes.\n".repeat(40)), "not a SQLite database"],
    ["short", Buffer.from("SQLite format 3\0"), "not a SQLite database"],
    ["another program's", anotherProgramsDatabase(), "another program"],
  ])(
    "refuses a file that is %s, with its path and the reason, and leaves it untouched",
    async (_, content, reason) => {
      const folder = await testFolder();
      const path = join(folder, "journal.db");
      writeFileSync(path, content);
      const opening = openSqliteJournal({ folder });
      await expect(opening).rejects.toBeInstanceOf(errors.NotAJournalError);
      await expect(opening).rejects.toThrow(path);
      await expect(opening).rejects.toThrow(reason);
      expect(readFileSync(path).equals(content)).toBe(true);
    },
  );

  it("refuses a damaged journal with its path", async () => {
    const folder = await folderWithJournal(first);
    const path = join(folder, "journal.db");
    const content = readFileSync(path);
    writeFileSync(path, content.fill(0xa5, 100, 16_384));
    const opening = openSqliteJournal({ folder, projections: [projection(first)] });
    await expect(opening).rejects.toBeInstanceOf(errors.NotAJournalError);
    await expect(opening).rejects.toThrow(path);
  });

  it("refuses a second process with the owner's pid, until the owner is gone", async () => {
    const folder = await testFolder();
    const owner = new Child("append-one-by-one.ts", { where: { folder } });
    await owner.printed(1);
    const opening = openSqliteJournal({ folder });
    await expect(opening).rejects.toBeInstanceOf(errors.AlreadyOwnedError);
    await expect(opening).rejects.toMatchObject({ pid: owner.process.pid });
    await owner.kill();
    const journal = await openSqliteJournal({ folder });
    await expect(openSqliteJournal({ folder })).rejects.toMatchObject({ pid: process.pid });
    await journal.close();
  });

  it.each([
    ["below a file", "file/data"],
    ["that is a file", "file"],
    ["behind a link that leads nowhere", "link"],
    ["behind a link that leads to itself", "loop/data"],
    ["with a name that is too long", "x".repeat(300)],
  ])("refuses a folder %s, with its path", async (_, name) => {
    const parent = await testFolder({ file: "not a folder" });
    symlinkSync(join(parent, "unmounted", "disk"), join(parent, "link"));
    symlinkSync(join(parent, "loop"), join(parent, "loop"));
    const folder = join(parent, name);
    await expect(openSqliteJournal({ folder })).rejects.toBeInstanceOf(errors.FolderNotWritableError);
    await expect(openSqliteJournal({ folder })).rejects.toThrow(folder);
  });

  it("refuses at once a place where no folder can be created", async () => {
    await expect(openSqliteJournal({ folder: "/proc/parley/data" })).rejects.toThrow(
      "/proc/parley/data cannot be written",
    );
  });

  it("creates the folder readable by its owner alone", async () => {
    const parent = await testFolder();
    const journal = await openSqliteJournal({ folder: join(parent, "deep", "data") });
    for (const name of ["deep", "deep/data"]) expect(statSync(join(parent, name)).mode & 0o777).toBe(0o700);
    await journal.close();
  });

  it("voids the leases of the process before it and lists their streams as orphaned", async () => {
    const folder = await testFolder();
    const dead = new Child("write-under-lease.ts", { where: { folder }, stream: "task" });
    await dead.printed(2);
    await dead.kill();
    const journal = await openSqliteJournal({ folder });
    expect(await journal.orphaned()).toEqual(["task"]);
    await expect(journal.append("task", ["stale"], { epoch: 1 })).rejects.toBeInstanceOf(errors.FencedError);
    const lease = await journal.acquire("task");
    expect(lease.epoch).toBeGreaterThan(1);
    expect(await journal.orphaned()).toEqual([]);
    await journal.close();
  });
});

function anotherProgramsDatabase(): Buffer {
  const path = join(tmpdir(), `parley-theirs-${process.pid}.db`);
  const database = new DatabaseSync(path);
  database.exec("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)");
  database.close();
  const content = readFileSync(path);
  rmSync(path);
  return content;
}
